#!/usr/bin/env python3
"""The loop of bench_ppo in PyTorch: python3 tests/bench/ppo_torch.py ENVIRONMENTS

Prints the decisions that one thread learns from in a second of processor time, the best of some iterations. The shape is
that of bench_ppo: 24 numbers, 8 settings, an actor and two critics of 2 x 64, rollouts of 128, 4 passes of 4 minibatches,
advantages of two critics, clipped objective, gradient norm, Adam. The environment is a table of random numbers.
"""

import sys
import time

import torch
from torch import nn

INPUTS, SETTINGS, UNITS, STEPS, PASSES, MINIBATCHES, ROUNDS = 24, 8, 64, 128, 4, 4, 4
GAMMA, LAMBDA = 0.98, 0.95


def network(outputs):
    return nn.Sequential(
        nn.Linear(INPUTS, UNITS), nn.Tanh(), nn.Linear(UNITS, UNITS), nn.Tanh(), nn.Linear(UNITS, outputs)
    )


def advantages(rewards, values, last):
    out, following, next_value = torch.zeros_like(rewards), 0.0, last
    for t in reversed(range(STEPS)):
        delta = rewards[t] + GAMMA * next_value - values[t]
        following = delta + GAMMA * LAMBDA * following
        out[t], next_value = following, values[t]
    return out


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    environments = int(sys.argv[1])
    actor, critics = network(SETTINGS), [network(1), network(1)]
    parameters = [p for net in [actor, *critics] for p in net.parameters()]
    adam = torch.optim.Adam(parameters, lr=2.5e-4, eps=1e-5)
    table = torch.randn(STEPS + 1, environments, INPUTS)
    rewards = [torch.randn(STEPS, environments), torch.rand(STEPS, environments)]
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        actions = torch.zeros(STEPS, environments, dtype=torch.long)
        log_p = torch.zeros(STEPS, environments)
        values = [torch.zeros(STEPS, environments) for _ in critics]
        with torch.no_grad():
            for t in range(STEPS):
                choice = torch.distributions.Categorical(logits=actor(table[t]))
                actions[t] = choice.sample()
                log_p[t] = choice.log_prob(actions[t])
                for critic, value in zip(critics, values):
                    value[t] = critic(table[t]).squeeze(-1)
            estimates = [
                advantages(r, v, critic(table[STEPS]).squeeze(-1)) for r, v, critic in zip(rewards, values, critics)
            ]
        advantage = ((estimates[0] - 0.5 * estimates[1]) / 1.5).flatten()
        targets = [(a + v).flatten() for a, v in zip(estimates, values)]
        seen, old, chosen = table[:STEPS].reshape(-1, INPUTS), log_p.flatten(), actions.flatten()
        for _ in range(PASSES):
            for index in torch.randperm(STEPS * environments).chunk(MINIBATCHES):
                choice = torch.distributions.Categorical(logits=actor(seen[index]))
                ratio = (choice.log_prob(chosen[index]) - old[index]).exp()
                a = advantage[index]
                a = (a - a.mean()) / (a.std() + 1e-8)
                loss = -torch.min(ratio * a, ratio.clamp(0.8, 1.2) * a).mean() - 0.01 * choice.entropy().mean()
                for critic, target in zip(critics, targets):
                    loss = loss + 0.25 * (critic(seen[index]).squeeze(-1) - target[index]).pow(2).mean()
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                adam.step()
        best = min(best, time.process_time() - start)
    print(STEPS * environments / best)


if __name__ == "__main__":
    main()
