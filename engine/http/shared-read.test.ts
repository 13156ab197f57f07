import { expect, test } from 'vitest';
import { SharedRead } from './shared-read.ts';

/** Reader that answers when the test says so. */
class SlowReader {
  readonly answers: ((snapshot: string) => void)[] = [];
  readonly failures: ((error: Error) => void)[] = [];

  readonly read = () =>
    new Promise<string>((resolve, reject) => {
      this.answers.push(resolve);
      this.failures.push(reject);
    });
}

test('shares the next query among callers that arrive while one is running', async () => {
  const reader = new SlowReader();
  const shared = new SharedRead(reader.read);
  const first = shared.next();
  const others = [shared.next(), shared.next()];
  expect(reader.answers).toHaveLength(1);
  reader.answers[0]?.('old');
  expect(await first).toBe('old');
  await Promise.resolve();
  expect(reader.answers).toHaveLength(2);
  reader.answers[1]?.('new');
  expect(await Promise.all(others)).toEqual(['new', 'new']);
  expect(shared.last).toBe('new');
});

test('rejects for the callers that wait for a failed query, and not for later ones', async () => {
  const reader = new SlowReader();
  const shared = new SharedRead(reader.read);
  const first = shared.next();
  const second = shared.next();
  reader.failures[0]?.(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await Promise.resolve();
  reader.answers[1]?.('back');
  expect(await second).toBe('back');
});
