"""What happens to a page on its way to the reader: scanner, fax, copier, thermal paper, telephone camera."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import random

    from PIL import Image

    from .plan import DocumentSpec

Grey = NDArray[np.uint8]


class Degradation:
    """
    One document's bad luck.

    Parameters
    ----------
    spec
        Document, whose profile and severity decide what happens.
    """

    def __init__(self, spec: DocumentSpec) -> None:
        self.profile = spec.profile
        self.severity = spec.severity
        self.rng: random.Random = spec.random("degradation")
        self.noise = np.random.default_rng(self.rng.getrandbits(63))

    def __call__(self, image: Image.Image) -> Grey:
        """Return the page as it arrives."""
        page = np.asarray(image, dtype=np.uint8)
        method = getattr(self, f"_{self.profile}")
        return np.ascontiguousarray(method(page))

    def _clean(self, page: Grey) -> Grey:
        return self._grain(_blur(page, 0.5), 2)

    def _scan(self, page: Grey) -> Grey:
        s = self.severity
        page = _resize(self._skew(page, 0.8), 1 - 0.45 * s)
        page = _blur(page, 0.4 + 0.5 * s)
        page = _clip(235 - (255 - page.astype(np.float32)) * 0.82)
        return _jpeg(self._grain(page, 5 + 7 * s), 75 - 40 * s)

    def _jpeg(self, page: Grey) -> Grey:
        s = self.severity
        return _jpeg(_resize(page, 0.95 - 0.4 * s), 45 - 33 * s)

    def _lowdpi(self, page: Grey) -> Grey:
        small = _resize(page, 0.62 - 0.24 * self.severity)
        return self._grain(_resize(small, 1.4, cv2.INTER_LINEAR), 3)

    def _thermal(self, page: Grey) -> Grey:
        s = self.severity
        height, width = page.shape
        waves = np.sin(np.linspace(0, self.rng.uniform(4, 11), height) + self.rng.uniform(0, 6))
        ink = 0.75 - 0.5 * s + 0.12 * waves[:, None]
        strength = np.clip(ink, 0.12, 1.0) * np.ones((1, width))
        strength[self.noise.random(page.shape) < 0.25] *= 0.7
        for _ in range(self.rng.randint(0, 3)):
            # A dead element of the print head leaves a thin white line from top to bottom.
            x = self.rng.randrange(width - 2)
            strength[:, x : x + self.rng.randint(1, 2)] = 0
        paper = 246 - 10 * np.clip(waves[::-1, None], 0, 1)
        faded = _clip(paper - (255 - page.astype(np.float32)) * strength)
        page = self._grain(_blur(self._skew(faded, 1.2), 0.6), 5 + 4 * s)
        return _jpeg(page, 82 - 30 * s)

    def _photocopy(self, page: Grey) -> Grey:
        s = self.severity
        side = 3 if s > 0.8 else 2
        thinner = self.rng.random() < 0.55
        # On a white page dilation eats the ink away and erosion spreads it.
        change = cv2.dilate if thinner and s > 0.15 else cv2.erode
        page = _as_grey(change(page, np.ones((side, side), np.uint8)))
        page = _blur(self._skew(page, 0.7), 0.8)
        page = _clip(255 / (1 + np.exp(-(page.astype(np.float32) - 150) / 22)))
        return self._grain(self._edge_shadow(self._specks(page, int(150 + 1500 * s))), 3)

    def _fax(self, page: Grey) -> Grey:
        s = self.severity
        page = self._grain(_resize(self._skew(page, 0.5), 0.85 - 0.3 * s), 12 + 20 * s)
        page = np.where(page < 150, 0, 255).astype(np.uint8)
        dots = self.noise.random(page.shape)
        page[dots < 0.0004 + 0.002 * s] = 0
        page[dots > 1 - 0.002 - 0.01 * s] = 255
        for _ in range(self.rng.randint(0, 2 + int(3 * s))):
            y = self.rng.randrange(page.shape[0])
            page[y, self.rng.randrange(page.shape[1] // 2) :] = 255
        return _resize(page, 1.5, cv2.INTER_NEAREST)

    def _photo(self, page: Grey) -> Grey:
        s = self.severity
        page = self._perspective(self._skew(page, 1.6), 0.006 + 0.018 * s)
        height, width = page.shape
        x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
        angle = self.rng.uniform(0, 6.28)
        light = 0.88 + (0.05 + 0.1 * s) * (x * np.cos(angle) + y * np.sin(angle))
        page = _blur(_clip(page * light), 0.7 + 1.1 * s)
        if s > 0.6:
            kernel = np.zeros((5, 5), np.float32)
            kernel[2, :] = 0.2
            page = _as_grey(cv2.filter2D(page, -1, kernel))
        return _jpeg(self._grain(page, 4 + 6 * s), 60 - 38 * s)

    def _skew(self, page: Grey, limit: float) -> Grey:
        height, width = page.shape
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), self.rng.uniform(-limit, limit), 1)
        return _as_grey(cv2.warpAffine(page, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=255))

    def _perspective(self, page: Grey, amount: float) -> Grey:
        height, width = page.shape
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        shift = np.array([[self.rng.uniform(0, amount) * side for side in (width, height)] for _ in corners])
        inward = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        matrix = cv2.getPerspectiveTransform(corners, (corners + shift * inward).astype(np.float32))
        return _as_grey(
            cv2.warpPerspective(page, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=205)
        )

    def _specks(self, page: Grey, per_two_megapixels: int) -> Grey:
        height, width = page.shape
        page = page.copy()
        for _ in range(int(per_two_megapixels * height * width / 2e6)):
            centre = (self.rng.randrange(width), self.rng.randrange(height))
            cv2.circle(page, centre, self.rng.choice((0, 0, 1, 1, 2)), self.rng.randint(0, 120), -1)
        return page

    def _edge_shadow(self, page: Grey) -> Grey:
        width = self.rng.randint(12, 46)
        ramp = np.linspace(self.rng.uniform(0.15, 0.5), 1, width)
        shadow = page.astype(np.float32)
        shadow[:, :width] *= ramp
        return _clip(shadow)

    def _grain(self, page: Grey, sigma: float) -> Grey:
        return _clip(page.astype(np.float32) + self.noise.normal(0, sigma, page.shape))


def _clip(page: NDArray[np.floating]) -> Grey:
    return np.clip(np.round(page), 0, 255).astype(np.uint8)


def _as_grey(page: object) -> Grey:
    return np.asarray(page, dtype=np.uint8)


def _blur(page: Grey, sigma: float) -> Grey:
    return _as_grey(cv2.GaussianBlur(page, (0, 0), sigma))


def _resize(page: Grey, factor: float, method: int = cv2.INTER_AREA) -> Grey:
    return _as_grey(cv2.resize(page, None, fx=factor, fy=factor, interpolation=method))


def _jpeg(page: Grey, quality: float) -> Grey:
    _, data = cv2.imencode(".jpg", page, [cv2.IMWRITE_JPEG_QUALITY, round(quality)])
    return _as_grey(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE))
