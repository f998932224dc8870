"""Where each data set lies: its files on disk and its addresses on the web, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from reproduction.data.registry import DATASETS

__all__ = ["LAYOUTS", "MIRRORS", "NPZ_SHA256", "OPENML", "FileLayout", "Mirror"]

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
MULAN = "https://raw.githubusercontent.com/tsoumakas/mulan/master/data"
SOURCEFORGE = "https://downloads.sourceforge.net/project/mulan/datasets/multi-target%20regression%20datasets"
OPENML = "https://www.openml.org/api/v1/json/data"


@dataclass(frozen=True)
class FileLayout:
    """One way a data set may lie in a folder.

    Attributes
    ----------
    reader : str
        "npz", "libsvm", "arff" or "text".
    files : tuple of str
        Names without a compression suffix, read in order and put one above the other.
    labels : str
        Mulan's XML list of the label columns; without one the last K columns are the labels.
    label, separator, drop : int, str or None, tuple of int
        Text files: the column of the class, what stands between cells (None: blanks), columns to leave out.
    first : bool
        Text files: only as many rows as the data set has are read; the rest is the original test part.
    cells : str
        Text files: the letters a cell may hold, each turned into an indicator column.
    """

    reader: Literal["npz", "libsvm", "arff", "text"]
    files: tuple[str, ...]
    labels: str = ""
    label: int = -1
    separator: str | None = ","
    drop: tuple[int, ...] = ()
    first: bool = False
    cells: str = ""


@dataclass(frozen=True)
class Mirror:
    """One place that offers all files of a data set.

    ``files`` maps the name on disk to its address; ``openml`` names a set to look up at OpenML instead.
    """

    files: Mapping[str, str]
    openml: str = ""


_LIBSVM_FILES = {
    "iris": "iris.scale",
    "wine": "wine.scale",
    "glass": "glass.scale",
    "svmguide2": "svmguide2",
    "vowel": "vowel",
    "vehicle": "vehicle.scale",
    "segment": "segment.scale",
    "satimage": "satimage.scale",
    "pendigits": "pendigits",
    "letter": "letter.scale",
    "poker": "poker.bz2",
    "shuttle": "shuttle.scale",
    "Sensorless": "Sensorless",
    "MNIST": "mnist.bz2",
    "connect-4": "connect-4",
    "acoustic": "vehicle/acoustic.bz2",
    "covtype": "covtype.bz2",
}

_TEXT = {
    "iris": FileLayout("text", ("iris.data",)),
    "wine": FileLayout("text", ("wine.data",), label=0),
    "glass": FileLayout("text", ("glass.data",), drop=(0,)),
    "vowel": FileLayout("text", ("vowel-context.data",), separator=None, drop=(0, 1, 2), first=True),
    "vehicle": FileLayout("text", tuple(f"xa{letter}.dat" for letter in "abcdefghi"), separator=None),
    "segment": FileLayout("text", ("segment.dat",), separator=None),
    "satimage": FileLayout("text", ("sat.trn",), separator=None),
    "pendigits": FileLayout("text", ("pendigits.tra",)),
    "letter": FileLayout("text", ("letter-recognition.data",), label=0, first=True),
    "poker": FileLayout("text", ("poker-hand-training-true.data",)),
    "shuttle": FileLayout("text", ("shuttle.trn",), separator=None),
    "Sensorless": FileLayout("text", ("Sensorless_drive_diagnosis.txt",), separator=None),
    "connect-4": FileLayout("text", ("connect-4.data",), cells="bxo"),
    "covtype": FileLayout("text", ("covtype.data",)),
}

_ARFF = {
    "scene": (("scene-train.arff", "scene-test.arff"), "scene.xml"),
    "yeast": (("yeast-train.arff", "yeast-test.arff"), "yeast.xml"),
    "corel5k": (("Corel5k-train-sparse.arff",), "Corel5k.xml"),
    "bibtex": (("bibtex.arff",), "bibtex.xml"),
}

_TARGETS = {"rf2": "rf2", "rf2_with_missing": "rf2", "scm1d": "scm1d", "scm20d": "scm20d"}


def _layouts(name: str) -> tuple[FileLayout, ...]:
    found = [FileLayout("npz", (f"{name}.npz",))]
    if name == "rf2":
        found.append(FileLayout("npz", ("rf2_with_missing.npz",)))
    if name in _LIBSVM_FILES:
        stem = _LIBSVM_FILES[name].rpartition("/")[2].removesuffix(".bz2").removesuffix(".scale")
        found.extend(FileLayout("libsvm", (f"{stem}{ending}",)) for ending in ("", ".scale", "_scale"))
    if name in _ARFF:
        files, labels = _ARFF[name]
        found.append(FileLayout("arff", files, labels))
    arff = _TARGETS.get(name, name)
    found.append(FileLayout("arff", (f"{arff}.arff",), f"{arff}.xml"))
    found.append(FileLayout("arff", (f"{arff}-train.arff", f"{arff}-test.arff"), f"{arff}.xml"))
    if name in _TEXT:
        found.append(_TEXT[name])
    return tuple(dict.fromkeys(found))


def _mirrors(name: str) -> tuple[Mirror, ...]:
    if name in _LIBSVM_FILES:
        file = _LIBSVM_FILES[name]
        return (Mirror({file.rpartition("/")[2]: f"{LIBSVM}/{file}"}),)
    if name in _ARFF:
        files, labels = _ARFF[name]
        return (Mirror({file: f"{MULAN}/multi-label/{name}/{file}" for file in (*files, labels)}),)
    target = _TARGETS[name]
    return (
        Mirror({f"{target}.arff": f"{MULAN}/multi-target/{target}.arff"}),
        Mirror({f"{target}-{part}.arff": f"{SOURCEFORGE}/{target}-{part}.arff" for part in ("train", "test")}),
        Mirror({}, openml=target),
    )


LAYOUTS: Mapping[str, tuple[FileLayout, ...]] = MappingProxyType({name: _layouts(name) for name in DATASETS})
MIRRORS: Mapping[str, tuple[Mirror, ...]] = MappingProxyType({name: _mirrors(name) for name in DATASETS})

# The archives this project's own figures were computed from.
NPZ_SHA256: Mapping[str, str] = MappingProxyType(
    {
        "MNIST": "0355dbce688cffcf3ae853ed3b897c21c6ebd43b94f8a38102cf3e2d59e0927d",
        "bibtex": "32d182eb84b4cb5e0a5da02e9679ffff407e8e63e578694a5ee5eb181a6b3e3d",
        "connect-4": "f8815a315559950e4d54b7acd594ccc057853f2d2741533233e8e056dd113011",
        "corel5k": "782de140fa45ffa9532b9a249ddf1a4fb883c5d51558c2317d399a418ea36fdc",
        "covtype": "e49b8f0780056ed5cb6c91698a1e5d1ab37347e81288e2da84be96ae8bdec67f",
        "glass": "5e00118a0b57f8ee6aa7c20c0e17ee01da331c25da8ea60069c9c7de089cf13b",
        "iris": "6b734c3e3c73a43d68ea0b72c3e5c470b5cc0f0320f1efc39df412252cf7c504",
        "letter": "f3b5d4d990d22370acbbef260f30d6dc994ad8b879d7855028dd912103b9da45",
        "pendigits": "131748c19303074d16c57b91acb39849514bd97ff3301c69108250d3b0db760d",
        "poker": "971c09faf6812f08e9af79abe851b473d4de9b0889703f6b6dd123e48beecf9b",
        "rf2": "2960c58adceecc09d6116e26e6f3f2db6da34d1a2f2d806c42ded65167863783",
        "rf2_with_missing": "57995d9426aff35c8a3b67170b9253f0221dbe8f516bf9ee37939c1d6fe0a745",
        "satimage": "41ea056ba7f55eb84f30fcbb43dfdb985728c1da8582097a1d9d7f7a1c44cd41",
        "scene": "546a623d707a8021009edcb0fc2a9a2cb3fa9dd1ebefb3855de05a53550dc86b",
        "scm20d": "ccde278b1c2bacb5a9e868e847c63d8f720578a3d7af08a55a1dd611040ad820",
        "segment": "7ff27e92a7d9e4da4e593cef1588b7bb05dcf9be7865fea13dbb2cac194ca126",
        "shuttle": "f0b22754f1575502b318ba3611d13720b29aabea9270816f99c5fd8f7715391d",
        "svmguide2": "c03e1c9bd46add2ee7ff41c962d0703a8ae1234a8fa8989158f2c1e421cb2178",
        "vehicle": "e4cbc20b44fbd934d34eace9e61a1cf62285c8b18225ebf79e01fbc3209e0aad",
        "vowel": "dbef4a2b146a18303070b5a49976a4f6e892378c3cb930b3a36856d200a4f75a",
        "wine": "272e51a62246ada21566707187d5b803788448969b8b74105ac7f58d85cc5ff9",
        "yeast": "92d3474ece910a4089fc68280613c28d55892a9f2bd6f054ba6f0c8880d51467",
    }
)
