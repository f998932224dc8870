(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data-of-charts").textContent);
  const byId = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const pale = (hex, alpha) => hex + Math.round(255 * alpha).toString(16).padStart(2, "0");
  const percent = (share) => `${Math.round(100 * share)} %`;
  const short = (text, most = 40) => (text.length > most ? `${text.slice(0, most - 1)} …` : text);
  const SHAPES = ["circle", "triangle", "rect", "rectRot", "circle", "triangle", "rect", "rectRot"];
  const shown = { layer: 0, known: true, filled: true, sure: 1, hidden: new Set() };

  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;

  const axis = (title, more = {}) => ({
    title: { display: true, text: title, color: colour("soft") },
    ticks: { color: colour("soft"), maxTicksLimit: 7, includeBounds: false, format: { useGrouping: "min2" } },
    grid: { color: colour("rule") },
    border: { color: colour("rule") },
    ...more,
  });

  const tooltip = (label, title = () => "") => ({
    displayColors: false,
    backgroundColor: colour("ink"),
    titleColor: colour("paper"),
    bodyColor: colour("paper"),
    padding: 10,
    filter: (item, place) => place < 3,
    callbacks: { title, label },
  });

  // a bar answers anywhere above it, however low it is
  const whole = { mode: "index", intersect: false };

  const zoom = () => ({
    zoom: { mode: "xy", drag: { enabled: true, backgroundColor: pale(colour("accent"), 0.15), borderColor: colour("accent"), borderWidth: 1, threshold: 8 } },
  });

  const line = (points, name, dash = [6, 4]) => ({
    type: "line", label: name, data: points, borderColor: colour("soft"), borderDash: dash, borderWidth: 1.2, pointRadius: 0, pointHitRadius: 0, fill: false,
  });

  const groupColour = (layer, place) => {
    const n = layer.groups.length;
    return layer.ordered ? colour(`s${n > 1 ? Math.round((4 * place) / (n - 1)) : 2}`) : colour(`c${place % 8}`);
  };

  const mapSets = () => {
    const layer = data.map.layers[shown.layer];
    const radius = data.map.rows.length > 1200 ? 2.5 : 3.5;
    const sets = [];
    // the first set is drawn last, on top
    for (const known of [true, false]) {
      layer.groups.forEach((name, place) => {
        const points = [];
        if (!shown.hidden.has(place) && (known ? shown.known : shown.filled)) {
          layer.places.forEach((own, i) => {
            if (own !== place || layer.known[i] !== known) return;
            if (!known && layer.sure && layer.sure[i] > shown.sure) return;
            points.push({ x: data.map.x[i], y: data.map.y[i], i });
          });
        }
        const hue = groupColour(layer, place);
        sets.push({
          label: name, data: points, known, pointStyle: SHAPES[place % SHAPES.length],
          pointRadius: known ? radius + 2.5 : radius, pointHoverRadius: radius + 4,
          backgroundColor: known ? hue : pale(hue, 0.45), borderColor: known ? colour("card") : pale(hue, 0.8), borderWidth: known ? 1.2 : 0.6,
        });
      });
    }
    return sets;
  };

  // fixed ends: the axes stay while points come and go
  const around = (values, title) => {
    const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    const room = 0.04 * (high - low || 1);
    return axis(title, { min: low - room, max: high + room });
  };

  const mapConfig = () => ({
    type: "scatter",
    data: { datasets: mapSets() },
    options: {
      scales: { x: around(data.map.x, "first direction"), y: around(data.map.y, "second direction") },
      plugins: {
        legend: { display: false }, zoom: zoom(),
        tooltip: tooltip((item) => {
          const layer = data.map.layers[shown.layer];
          const i = item.raw.i;
          const how = layer.known[i] ? "known" : layer.sure ? `filled, ${percent(layer.sure[i])} sure` : "filled";
          return [`Row ${data.map.rows[i]}: ${short(layer.groups[layer.places[i]])}`, how];
        }),
      },
    },
  });

  const whiskers = {
    id: "whiskers",
    beforeDatasetsDraw(chart) {
      const set = chart.data.datasets[0];
      const { ctx, scales } = chart;
      ctx.save();
      ctx.strokeStyle = colour("accent");
      ctx.globalAlpha = 0.5;
      ctx.lineWidth = 2;
      for (const bin of set.data) {
        ctx.beginPath();
        ctx.moveTo(scales.x.getPixelForValue(bin.x), scales.y.getPixelForValue(bin.low));
        ctx.lineTo(scales.x.getPixelForValue(bin.x), scales.y.getPixelForValue(bin.high));
        ctx.stroke();
      }
      ctx.restore();
    },
  };

  const share = (title) => axis(title, { min: 0, max: 1, ticks: { color: colour("soft"), stepSize: 0.25, callback: percent } });

  const makers = {
    map: () => mapConfig(),
    calibration: (place) => ({
      type: "scatter",
      plugins: [whiskers],
      data: {
        datasets: [
          { label: "cells", data: data.targets[place].calibration.map((bin) => ({ x: bin.said, y: bin.right, ...bin })), backgroundColor: colour("accent"), pointRadius: 5, pointHoverRadius: 7, clip: 10 },
          line([{ x: 0, y: 0 }, { x: 1, y: 1 }], "exact"),
        ],
      },
      options: {
        scales: { x: share("probability said"), y: share("share that came true") },
        plugins: {
          legend: { display: false },
          tooltip: tooltip((item) => [`Said ${percent(item.raw.said)}, came true ${percent(item.raw.right)}`, `${percent(item.raw.low)} to ${percent(item.raw.high)}, ${item.raw.count} cells`]),
        },
      },
    }),
    certainty: (place) => ({
      type: "bar",
      data: {
        labels: data.targets[place].certainty.map((_, i) => `${10 * i}–${10 * i + 10}`),
        datasets: [{ label: "filled cells", data: data.targets[place].certainty, backgroundColor: pale(colour("accent"), 0.75), borderRadius: 3 }],
      },
      options: {
        interaction: whole,
        scales: { x: axis("probability in %", { grid: { display: false } }), y: axis("filled cells", { beginAtZero: true, ticks: { color: colour("soft"), precision: 0 } }) },
        plugins: { legend: { display: false }, tooltip: tooltip((item) => `${item.label} %: ${item.raw} cells`) },
      },
    }),
    numbers: (place) => {
      const all = data.targets[place].numbers;
      const both = [...all.known, ...all.predicted];
      const low = both.reduce((a, b) => Math.min(a, b)), high = both.reduce((a, b) => Math.max(a, b));
      const rising = all.predicted.map((_, i) => i).sort((i, j) => all.predicted[i] - all.predicted[j]);
      const edge = (ends) => line(rising.map((i) => ({ x: ends[i], y: all.predicted[i] })), "interval", []);
      return {
        type: "scatter",
        data: {
          datasets: [
            { label: "cells", data: all.known.map((known, i) => ({ x: known, y: all.predicted[i], row: all.rows[i] })), backgroundColor: pale(colour("c0"), 0.7), borderColor: colour("card"), borderWidth: 0.8, pointRadius: 4, pointHoverRadius: 7 },
            line([{ x: low, y: low }, { x: high, y: high }], "exact"), edge(all.lower), edge(all.upper),
          ],
        },
        options: {
          scales: { x: around(both, "known"), y: around(both, "predicted without it") },
          plugins: {
            legend: { display: false }, zoom: zoom(),
            tooltip: tooltip((item) => [`Row ${item.raw.row}`, `known ${item.raw.x}, predicted ${item.raw.y}`]),
          },
        },
      };
    },
    spectrum: (place) => {
      const { values, first } = data.models[place].spectrum;
      const tail = (i) => first !== null && i >= first;
      const part = (label, keep, hue) => ({ label, data: values.map((v, i) => (keep(i) ? v : null)), backgroundColor: hue, borderRadius: 3, maxBarThickness: 46, grouped: false });
      const sets = [part("left free", (i) => !tail(i), pale(colour("accent"), 0.8))];
      if (first !== null) sets.push(part("penalised tail", tail, pale(colour("warn"), 0.8)));
      return {
        type: "bar",
        data: { labels: values.map((_, i) => i + 1), datasets: sets },
        options: {
          interaction: whole,
          scales: { x: axis("place", { grid: { display: false } }), y: axis("singular value", { beginAtZero: true }) },
          plugins: {
            legend: { display: first !== null, position: "bottom", labels: { color: colour("soft"), boxWidth: 14 } },
            tooltip: tooltip((item) => item.raw === null ? null : `Value ${item.label}: ${item.raw.toPrecision(3)}${tail(item.dataIndex) ? ", penalised" : ""}`),
          },
        },
      };
    },
  };

  const canvases = [...document.querySelectorAll("canvas[data-chart]")];
  const draw = (canvas) => {
    Chart.getChart(canvas)?.destroy();
    return new Chart(canvas, makers[canvas.dataset.chart](Number(canvas.dataset.of)));
  };
  const drawAll = () => { canvases.forEach(draw); buildGroups(); };

  // the map's filters
  const shape = (name, hue) => {
    const forms = { circle: '<circle cx="8" cy="8" r="6"/>', triangle: '<path d="M8 1l7 13H1z"/>', rect: '<path d="M2 2h12v12H2z"/>', rectRot: '<path d="M8 0l8 8-8 8-8-8z"/>' };
    return `<svg viewBox="0 0 16 16" aria-hidden="true" fill="${hue}">${forms[name]}</svg>`;
  };
  const buildGroups = () => {
    if (!data.map) return;
    const layer = data.map.layers[shown.layer];
    byId("map-groups").replaceChildren(...layer.groups.map((name, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.innerHTML = shape(SHAPES[place % SHAPES.length], groupColour(layer, place));
      button.append(short(name));
      button.setAttribute("aria-pressed", String(!shown.hidden.has(place)));
      button.addEventListener("click", () => {
        if (!shown.hidden.delete(place)) shown.hidden.add(place);
        button.setAttribute("aria-pressed", String(!shown.hidden.has(place)));
        refilter();
      });
      return button;
    }));
    byId("map-sure-label").hidden = layer.sure === null;
    refilter();
  };
  const refilter = () => {
    const chart = Chart.getChart(document.querySelector('canvas[data-chart="map"]'));
    chart.data.datasets = mapSets();
    chart.update();
    const count = chart.data.datasets.reduce((sum, set) => sum + set.data.length, 0);
    byId("map-count").textContent = `Showing ${count.toLocaleString("en")} of ${data.map.rows.length.toLocaleString("en")} points.`;
  };
  if (data.map) {
    byId("map-layer").addEventListener("change", (event) => {
      shown.layer = Number(event.target.value);
      shown.hidden.clear();
      buildGroups();
    });
    for (const name of ["known", "filled"]) {
      byId(`map-${name}`).addEventListener("change", (event) => { shown[name] = event.target.checked; refilter(); });
    }
    byId("map-sure").addEventListener("input", (event) => {
      shown.sure = event.target.value / 100;
      byId("map-sure-shown").textContent = event.target.value;
      refilter();
    });
    document.querySelector("form.filters").addEventListener("submit", (event) => event.preventDefault());
  }

  // zoom buttons, and keys that walk over the points of a chart
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const chart = Chart.getChart(button.closest("figure").querySelector("canvas"));
      const factor = Number(button.dataset.zoom);
      if (factor) chart.zoom(factor); else chart.resetZoom();
    });
  }
  const walk = (canvas, step) => {
    const chart = Chart.getChart(canvas);
    const points = chart.data.datasets.flatMap((set, datasetIndex) =>
      set.label === "exact" || set.label === "interval" ? [] : set.data.map((value, index) => ({ datasetIndex, index, value })).filter((p) => p.value !== null));
    if (!points.length) return;
    const place = ((Number(canvas.dataset.at ?? (step > 0 ? -1 : 0)) + step) % points.length + points.length) % points.length;
    canvas.dataset.at = place;
    const { datasetIndex, index } = points[place];
    const { x, y } = chart.getDatasetMeta(datasetIndex).data[index];
    chart.setActiveElements([{ datasetIndex, index }]);
    chart.tooltip.setActiveElements([{ datasetIndex, index }], { x, y });
    chart.update();
    byId("live").textContent = chart.tooltip.body.flatMap((part) => part.lines).join(", ");
  };
  for (const canvas of canvases) {
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      walk(canvas, step);
    });
    canvas.addEventListener("blur", () => {
      const chart = Chart.getChart(canvas);
      chart.setActiveElements([]);
      chart.tooltip.setActiveElements([], { x: 0, y: 0 });
      chart.update();
    });
  }

  // panels of the atlas, and the filter of the least certain cells
  for (const select of document.querySelectorAll("select.panels")) {
    select.addEventListener("change", () => {
      for (const panel of document.querySelectorAll(`.panel[data-model="${select.dataset.model}"]`)) {
        panel.hidden = panel.dataset.panel !== select.value;
      }
    });
  }
  byId("unsure-filter")?.addEventListener("input", (event) => {
    const word = event.target.value.toLowerCase();
    const rows = [...byId("unsure-table").tBodies[0].rows];
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(word);
    byId("unsure-count").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} cells`;
  });

  // a link to a section that is folded opens it
  document.querySelector("nav").addEventListener("click", (event) => {
    const folded = event.target.hash && document.querySelector(`${event.target.hash} > details`);
    if (folded) folded.open = true;
  });

  // the section in sight is marked in the list of sections
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  document.querySelectorAll("main > section").forEach((section) => watcher.observe(section));

  // charts follow the colours of the system; paper is always light
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; drawAll(); });
  addEventListener("afterprint", () => { delete document.documentElement.dataset.theme; drawAll(); });
  drawAll();
})();
