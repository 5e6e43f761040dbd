import { expect, jest, test } from '@jest/globals';

import type { Engine } from '../../engine/engine.js';
import { UncertainClaims } from './uncertain-claims.js';

test('a claim that cannot be returned is logged, and retried after the other claims', async () => {
  const execute = jest.fn<() => Promise<boolean>>();
  const error = jest.fn();
  const logger = { error, warn: jest.fn(), info: jest.fn(), debug: jest.fn() };
  const doubts = new UncertainClaims({ execute } as unknown as Engine, logger as never);
  const request = { queue: 'default', owner: 1, limit: 1, isLimited: false } as never;
  doubts.addClaim(request);
  doubts.addClaim(request);

  execute.mockRejectedValueOnce(new Error('away'));
  await doubts.returnDueClaims(() => false);
  expect(execute).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledTimes(1);

  execute.mockResolvedValue(true);
  await doubts.returnDueClaims(() => false);
  expect(execute).toHaveBeenCalledTimes(2);
  await doubts.returnDueClaims(() => false);
  expect(execute).toHaveBeenCalledTimes(2);
  expect(doubts.hasAny).toBe(true);

  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
  await doubts.returnDueClaims(() => false);
  expect(execute).toHaveBeenCalledTimes(4);
  expect(doubts.hasAny).toBe(false);
  jest.restoreAllMocks();
});
