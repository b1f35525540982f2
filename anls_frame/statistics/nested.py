"""Repeated answers to questions about documents: variance components, and pass@k."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anls_frame._arguments import count
from anls_frame.statistics.arrays import FloatArray, divided


class NestedAnova(NamedTuple):
    """
    Variance components of a score, from `nested_anova`. They are unbiased, so they can be negative.

    Parameters
    ----------
    cluster
        Variance between clusters; nan without clusters, or with a single cluster.
    question
        Variance between the questions of a cluster; nan if no cluster has two questions.
    epoch
        Variance between the answers to a question; nan if no question has two answers.
    """

    cluster: float
    question: float
    epoch: float


def nested_anova(
    n: npt.ArrayLike, mean: npt.ArrayLike, squares: npt.ArrayLike, cluster: npt.ArrayLike | None = None
) -> NestedAnova:
    """
    Variance components of the scores of epochs, nested in questions, nested in clusters.

    Parameters
    ----------
    n
        Number of epochs of each question, at least 1.
    mean
        Mean score of each question.
    squares
        Σ(x - mean)² over the epochs of each question.
    cluster
        Number of the cluster of each question, from 0; without it, questions are treated as independent.

    Returns
    -------
    NestedAnova
        The components between clusters, questions and epochs.

    Notes
    -----
    Let s² be the variance between the epochs of a question. The component of epochs is the mean of s² over
    the questions with two or more epochs. The component of questions is the mean square of question means
    within clusters, minus the mean of s² / k over questions with k epochs; for a question with one epoch, s²
    is the component of epochs. The component of clusters follows from the mean square between clusters of
    unequal numbers of question means (Searle, Casella and McCulloch 1992, *Variance Components*, 3.6). Every
    question has the same weight, so hard questions may have more epochs than others. With equal numbers, this
    is the usual analysis of variance.

    Examples
    --------
    >>> from anls_frame.statistics import nested_anova
    >>> components = nested_anova([2, 2, 2, 2], [1, 0.5, 0.5, 0], [0, 0.5, 0.5, 0], cluster=[0, 0, 1, 1])
    >>> components.cluster, components.question, components.epoch
    (0.0625, 0.0, 0.25)
    """
    n, mean, squares = (np.asarray(values, np.float64) for values in (n, mean, squares))
    cluster_of = np.zeros(len(n), np.int64) if cluster is None else np.unique(cluster, return_inverse=True)[1]
    questions, clusters = len(n), int(cluster_of.max(initial=-1)) + 1
    repeated = n > 1
    variances = divided(squares, n - 1, 0.0)
    epoch = divided(variances.sum(), repeated.sum())
    noise = np.where(repeated, variances, epoch) / n  # of the mean of each question
    sizes = np.bincount(cluster_of, minlength=clusters)
    means = np.bincount(cluster_of, mean, clusters) / sizes
    within = ((mean - means[cluster_of]) ** 2).sum() - (noise * (1 - 1 / sizes[cluster_of])).sum()
    question = divided(within, questions - clusters)
    across = (sizes * (means - divided(mean.sum(), questions)) ** 2).sum()
    across -= (noise * (1 / sizes[cluster_of] - divided(1.0, questions))).sum()
    # With one question each, clusters explain all variance between questions.
    nested = 0.0 if questions == clusters else question * (clusters - 1)
    between = divided(across - nested, questions - divided((sizes**2).sum(), questions))
    return NestedAnova(*map(float, (between, question, epoch)))


def pass_at_k(n: npt.ArrayLike, correct: npt.ArrayLike, k: int) -> FloatArray:
    """
    Estimate the probability that at least one of k answers to a question is right, from n answers.

    Parameters
    ----------
    n, correct
        Number of answers to each question, and number of right answers.
    k
        Number of answers, at least one of them right.

    Returns
    -------
    FloatArray
        The unbiased estimate 1 - C(n - correct, k) / C(n, k); nan for fewer than k answers.

    Notes
    -----
    Chen et al. (2021), *Evaluating Large Language Models Trained on Code*. The simpler 1 - (1 - correct /
    n)^k is biased.

    Examples
    --------
    >>> from anls_frame.statistics import pass_at_k
    >>> pass_at_k(4, [0, 1, 2, 4], 2).round(4)
    array([0.    , 0.5   , 0.8333, 1.    ])
    """
    k = count("k", k, 1)
    n, correct = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(correct, np.float64))
    none_right = np.where(n >= k, 1.0, np.nan)
    for drawn in range(k if (n >= k).any() else 0):
        none_right = none_right * np.maximum(n - correct - drawn, 0) / np.where(n > drawn, n - drawn, np.nan)
    return np.asarray(1 - none_right)
