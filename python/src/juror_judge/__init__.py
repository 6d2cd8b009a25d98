"""Judges programs with juror: verdicts, and rewards for training."""

from juror_judge.judge import Judge
from juror_judge.result import Error, Judgement
from juror_judge.reward import Reward, reward_fn

__all__ = ["Error", "Judge", "Judgement", "Reward", "reward_fn"]
