(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const here = location.pathname.replace(/[^/]*$/, "");
  const KEYS = 9, FOUND = 8, PATIENCE = 2000;
  const tab = sessionStorage.tab || (sessionStorage.tab = Math.random().toString(36).slice(2));
  let state = null, busy = false, chosen = new Set(), answeredRow = null, gone = false;

  const element = (name, more = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(more)) key in made ? (made[key] = value) : made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const say = (text) => { $("live").textContent = text; };
  const percent = (share) => `${share > 0 && share < 0.005 ? "<1" : share < 1 && share >= 0.995 ? ">99" : Math.round(100 * share)} %`;

  const warn = (text, what = "", act = null) => {
    $("banner").hidden = !text;
    $("banner-text").textContent = text;
    $("banner-do").hidden = !act;
    $("banner-do").textContent = what;
    $("banner-do").onclick = act;
  };

  const ask = async (path, body) => {
    const more = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ tab, ...body }) } : {};
    const reply = await fetch(here + path, { cache: "no-store", ...more });
    const found = await reply.json().catch(() => ({ error: "lsvv gave no readable answer." }));
    if (!reply.ok) throw Object.assign(new Error(found.error), { said: true, found });
    return found;
  };

  const stopped = () => {
    gone = true;
    warn(`lsvv has stopped. All ${state ? state.answered : ""} answers that this page counted are saved. Start it again in the terminal and open the new address.`);
    lock();
  };

  const lock = () => { for (const one of document.querySelectorAll("main button, main input")) one.disabled = busy || gone; };

  const act = async (path, body, told) => {
    if (busy || gone) return;
    busy = true; lock();
    try {
      const found = await ask(path, body);
      warn("");
      if (told) say(told);
      show(found);
    } catch (error) {
      if (!error.said) stopped();
      else if (error.found.state) {
        const row = body.row, before = error.found.before, was = state.question;
        show(error.found.state);
        warn(error.message, `Save “${body.label}” for row ${row} instead`, () => act("answer", { ...body, before }, `Saved row ${row}.`));
      } else warn(error.message);
    } finally { busy = false; lock(); focusAgain(); }
  };

  const answer = (label) => {
    const question = state.question;
    act("answer", { row: question.row, label, before: question.label }, `Saved: row ${question.row} is ${label}.`);
  };
  const skip = () => act("skip", { row: state.question.row }, "Skipped.");
  const undo = () => act("undo", {}, "Taken back.");
  const again = (row) => act("again", { row }, `Row ${row} again.`);

  // where there is a keyboard, a number can be typed at once
  const focusAgain = () => {
    const types = !matchMedia("(pointer: coarse)").matches;
    if (types && state && state.task === "numbers" && state.question && !gone) $("value").focus({ preventScroll: true });
  };

  const choice = (name, key, share, mark) => {
    const made = element("button", { type: "button", className: "choice" });
    if (key) made.append(element("kbd", {}, key));
    else made.append(element("span", {}));
    made.append(element("span", { className: "name" }, name), element("span", { className: "share" }, share == null ? "" : percent(share)));
    if (share != null) made.style.setProperty("--p", share);
    if (mark) made.classList.add("now");
    const likely = share == null ? "" : `, ${percent(share)} likely`;
    made.setAttribute("aria-label", `${name}${likely}${mark ? ", your answer so far" : ""}${key ? `, key ${key}` : ""}`);
    if (state.task === "tags") {
      made.setAttribute("aria-pressed", chosen.has(name));
      made.onclick = () => { toggle(name); };
    } else made.onclick = () => answer(name);
    return made;
  };

  const toggle = (name) => {
    chosen.has(name) ? chosen.delete(name) : chosen.add(name);
    if (!state.question.choices.includes(name)) state.question.choices.push(name);
    choices();
  };

  const shareOf = (name) => {
    const guess = state.question.guess;
    const place = guess && guess.shares ? guess.names.indexOf(name) : -1;
    return place < 0 ? null : guess.shares[place];
  };

  // few classes keep their order, so that keys stay; of many the likeliest stand above
  const offered = () => {
    const names = state.question.choices;
    if (names.length <= KEYS) return names;
    return [...names].sort((a, b) => (shareOf(b) || 0) - (shareOf(a) || 0)).slice(0, KEYS);
  };

  const fill = (parent, made) => {
    const held = parent.contains(document.activeElement) ? [...parent.children].indexOf(document.activeElement) : -1;
    parent.replaceChildren(...made);
    if (held >= 0 && parent.children[held]) parent.children[held].focus({ preventScroll: true });
  };

  const choices = () => {
    const now = state.question.label;
    const tags = state.task === "tags";
    fill($("choices"), offered().map((name, i) => choice(name, i < KEYS ? String(i + 1) : "", shareOf(name), !tags && name === now)));
    search();
  };

  const search = () => {
    const text = $("search").value.trim(), low = text.toLowerCase();
    if (!text) { $("found").replaceChildren(); return; }
    const names = state.question.choices.filter((name) => name.toLowerCase().includes(low)).slice(0, FOUND);
    const made = names.map((name) => choice(name, "", shareOf(name), false));
    if (!state.question.choices.includes(text)) {
      const add = choice(text, "", null, false);
      add.querySelector(".name").textContent = `New: ${text}`;
      add.setAttribute("aria-label", `New: ${text}`);
      made.push(add);
    }
    $("found").replaceChildren(...made);
  };

  const cells = (question) => {
    const head = element("tr", {}, element("th", { scope: "col" }, element("span", { className: "unseen" }, "Column")));
    head.append(element("th", { scope: "col" }, `row ${question.row}`, element("strong", {}, question.label || "?")));
    for (const near of question.near) head.append(element("th", { scope: "col" }, `row ${near.row}`, element("strong", {}, near.label)));
    $("cells").tHead.replaceChildren(head);
    $("cells").tBodies[0].replaceChildren(...question.cells.map((one) =>
      element("tr", {}, element("th", { scope: "row" }, one.name), ...one.cells.map((cell) => element("td", {}, cell || "–")))));
  };

  const number = (question, fresh) => {
    const field = question.number, guess = question.guess;
    $("slider").hidden = !field;
    if (field) {
      const step = 10 ** -field.decimals;
      Object.assign($("slider"), { min: field.low, max: field.high, step });
    }
    if (fresh) {
      $("value").value = question.label;
      if (field) $("slider").value = Number((question.label || (guess && guess.text) || String((field.low + field.high) / 2)).replace(",", "."));
    }
    $("guess").textContent = guess ? `The model guesses ${guess.text}${guess.low ? `, between ${guess.low} and ${guess.high} with 90 %` : ""}.` : "No guess yet.";
  };

  const question = (fresh) => {
    const one = state.question;
    $("open").hidden = !one; $("done").hidden = !!one;
    if (!one) return;
    const numbers = state.task === "numbers", tags = state.task === "tags";
    if (fresh) {
      chosen = new Set(tags && one.label ? one.label.split(";").map((tag) => tag.trim()) : []);
      $("search").value = "";
      $("data").scrollTop = 0;
    }
    $("title").textContent = `Row ${one.row}: ${numbers ? "what is its" : "which"} ${state.column}?`;
    $("why").textContent = one.why;
    $("number").hidden = !numbers;
    $("choices").hidden = numbers; $("other").hidden = numbers;
    $("saving").hidden = !(numbers || tags);
    $("take").hidden = !one.guess;
    $("search-label").textContent = one.choices.length > KEYS ? `Search ${one.choices.length} answers, or name another ( / )` : "Name another ( / )";
    $("legend").textContent = one.guess ? "Your answer, and what the model thinks" : "Your answer";
    if (numbers) $("legend").textContent = "Your answer";
    $("beside").textContent = one.near.length ? "The row, and the labelled rows nearest to it" : "The row";
    cells(one);
    numbers ? number(one, fresh) : choices();
  };

  const SVG = (name, more, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(more)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };

  const curve = (progress) => {
    const points = progress.points, ahead = progress.ahead, left = 34, right = 388, top = 10, bottom = 164;
    const all = ahead ? [...points, ahead] : points;
    const most = Math.max(...all.map((one) => one.n_labels)), least = Math.min(...points.map((one) => one.n_labels), most - 1);
    const x = (n) => left + ((right - left) * (n - least)) / (most - least);
    const y = (share) => bottom - (bottom - top) * Math.min(1, Math.max(0, share));
    const path = (list, value) => list.map((one) => `${x(one.n_labels).toFixed(1)},${y(value(one)).toFixed(1)}`);
    const made = [];
    for (const share of [0, 0.5, 1]) {
      made.push(SVG("line", { class: "grid", x1: left, x2: right, y1: y(share), y2: y(share) }));
      made.push(SVG("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, `${100 * share}`));
    }
    const last = points[points.length - 1];
    for (const n of new Set([least, last.n_labels, most])) made.push(SVG("text", { x: x(n), y: bottom + 16, "text-anchor": n === least ? "start" : n === most ? "end" : "middle" }, n));
    made.push(SVG("text", { x: (left + right) / 2, y: bottom + 26, "text-anchor": "middle" }, "labels"));
    if (progress.measure !== "R2") made.push(SVG("line", { class: "base", x1: left, x2: right, y1: y(progress.baseline), y2: y(progress.baseline) }));
    const sized = points.filter((one) => one.low !== null);
    if (sized.length > 1) made.push(SVG("polygon", { class: "band", points: [...path(sized, (one) => one.high), ...path([...sized].reverse(), (one) => one.low)].join(" ") }));
    else if (sized.length) made.push(SVG("line", { class: "whisker", x1: x(last.n_labels), x2: x(last.n_labels), y1: y(sized[0].low), y2: y(sized[0].high) }));
    made.push(SVG("polyline", { class: "line", points: path(points, (one) => one.value).join(" ") }));
    made.push(SVG("circle", { class: "dot", cx: x(last.n_labels), cy: y(last.value), r: 4 }));
    if (ahead) {
      made.push(SVG("polyline", { class: "ahead", points: path([last, ahead], (one) => one.value).join(" ") }));
      made.push(SVG("line", { class: "whisker", x1: x(ahead.n_labels), x2: x(ahead.n_labels), y1: y(ahead.low), y2: y(ahead.high) }));
      made.push(SVG("circle", { class: "aim", cx: x(ahead.n_labels), cy: y(ahead.value), r: 4 }));
    }
    $("curve").replaceChildren(...made);
    $("curve").setAttribute("aria-label", progress.described);
  };

  const bought = () => {
    const progress = state.progress;
    $("bought").hidden = !progress; $("not-yet").hidden = !!progress;
    $("doubt").hidden = !progress || !progress.doubtful.length;
    if (!progress) return;
    $("big").textContent = progress.value;
    $("what").textContent = progress.what;
    curve(progress);
    $("sentences").replaceChildren(...progress.sentences.map((text) => element("li", {}, text)));
    $("doubtful").replaceChildren(...progress.doubtful.map((one) => {
      const said = element("span", {}, `Row ${one.row} is “${one.label}”: ${one.why}.`);
      if (!one.mine) return element("li", {}, said, element("span", { className: "quiet" }, "Correct it in the table."));
      return element("li", {}, said, element("button", { type: "button", ariaLabel: `Look again at row ${one.row}`, onclick: () => again(one.row) }, "Look again"));
    }));
  };

  const show = (found) => {
    if (state && found.version < state.version) return;
    const row = found.question && `${found.question.row} ${found.question.label}`;
    const fresh = row !== answeredRow;
    answeredRow = row;
    // what a person typed or chose for this row stays when the model has learnt
    if (!fresh && found.question) for (const name of chosen) if (!found.question.choices.includes(name)) found.question.choices.push(name);
    state = found;
    $("share").value = state.known;
    $("count").textContent = `${state.known.toLocaleString("en")} of ${state.rows.toLocaleString("en")} rows labelled, ${state.answered.toLocaleString("en")} of them here`;
    question(fresh);
    bought();
    if (state.trouble) warn(state.trouble);
    lock();
    if (fresh) focusAgain();
  };

  const follow = async () => {
    for (;;) {
      try {
        const found = await ask(`wait?tab=${tab}&version=${state ? state.version : -1}`);
        if (gone) { gone = false; warn(""); }
        if (!busy) { show(found); }
      } catch (error) {
        if (error.said) warn(error.message);
        else stopped();
        await new Promise((done) => setTimeout(done, PATIENCE));
      }
    }
  };

  const save = () => {
    if (state.task === "numbers") answer($("value").value.trim());
    else if (state.task === "tags") answer([...chosen].join("; "));
  };
  const take = () => {
    const guess = state.question.guess;
    if (!guess) return;
    if (state.task === "numbers") $("value").value = guess.text;
    else if (state.task === "tags") { chosen = new Set(guess.chosen); choices(); }
  };

  $("form").onsubmit = (event) => {
    event.preventDefault();
    const text = $("search").value.trim();
    if (document.activeElement === $("search") && text) {
      const made = $("found").querySelectorAll("button");
      if (made.length) { made[0].click(); $("search").value = ""; search(); }
    } else if (state.task !== "classes") save();
  };
  $("search").oninput = search;
  $("search").onkeydown = (event) => { if (event.key === "Escape") { $("search").value = ""; search(); $("question").focus(); } };
  $("slider").oninput = () => {
    const field = state.question.number;
    $("value").value = Number($("slider").value).toFixed(field.decimals).replace(".", field.sign);
  };
  $("skip").onclick = skip; $("undo").onclick = undo; $("undo-last").onclick = undo; $("take").onclick = take;

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !state || busy || gone) return;
    const key = event.key.toLowerCase(), target = event.target;
    const typing = target.matches("input:not([type=range])");
    if (typing && !(target === $("value") && "sug".includes(key))) return;
    if (key === "u") { event.preventDefault(); undo(); return; }
    if (!state.question) return;
    if (key === "s") { event.preventDefault(); skip(); }
    else if (key === "g") { event.preventDefault(); take(); }
    else if (key === "/" && state.task !== "numbers") { event.preventDefault(); $("search").focus(); }
    else if (/^[1-9]$/.test(key) && state.task !== "numbers") {
      const name = offered()[Number(key) - 1];
      if (name === undefined) return;
      event.preventDefault();
      state.task === "tags" ? toggle(name) : answer(name);
    } else if (key === "enter" && state.task === "tags" && !target.matches("button")) { event.preventDefault(); save(); }
  });

  follow();
})();
