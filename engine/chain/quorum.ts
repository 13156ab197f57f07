/** Thrown if RPCs contradict each other: only a person or time can tell which one is right. */
export class RpcDisagreementError extends Error {
  override readonly name = 'RpcDisagreementError';
}

/**
 * Asks every voter and returns an answer as soon as `quorum` of them have given it.
 * @param what the subject of the request, for the error's sentence.
 * @param onMinority receives the indexes of voters whose answer fewer gave than another one, once all have answered.
 *   `null` is no such answer: that voter may only be behind.
 * @throws {RpcDisagreementError} if at least `quorum` voters answer, and no answer has `quorum` votes.
 * @throws the first voter's own error if fewer than `quorum` answer.
 */
export function agree<Voter, T>(
  voters: readonly Voter[],
  quorum: number,
  what: string,
  ask: (voter: Voter) => Promise<T>,
  onMinority: (voters: readonly number[]) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const votes = new Map<string, number>();
    const answers = new Map<number, string>();
    const errors: unknown[] = [];
    let open = voters.length;
    let answered = 0;
    const done = () => {
      open -= 1;
      if (open > 0) return;
      const most = Math.max(...votes.values());
      const minority = [...answers].filter(([, key]) => (votes.get(key) ?? 0) < most);
      if (minority.length > 0) onMinority(minority.map(([index]) => index));
      if (answered < quorum) return reject(errors[0]);
      const sentence = `${answered} RPCs gave ${votes.size} answers about ${what}, and ${quorum} must agree`;
      reject(new RpcDisagreementError(sentence));
    };
    for (const [index, voter] of voters.entries()) {
      ask(voter).then(
        (value) => {
          answered += 1;
          const key = JSON.stringify(value);
          if (value !== null) answers.set(index, key);
          const count = (votes.get(key) ?? 0) + 1;
          votes.set(key, count);
          if (count >= quorum) resolve(value);
          done();
        },
        (error: unknown) => {
          errors.push(error);
          done();
        },
      );
    }
  });
}

/**
 * The answers of the first `quorum` voters. For heights, which may differ, the lowest of them is one
 * that all these voters have reached.
 * @throws the first voter's own error if fewer than `quorum` answer.
 */
export function firstAnswers<Voter, T>(
  voters: readonly Voter[],
  quorum: number,
  ask: (voter: Voter) => Promise<T>,
): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const answers: T[] = [];
    const errors: unknown[] = [];
    for (const voter of voters) {
      ask(voter).then(
        (value) => {
          answers.push(value);
          if (answers.length === quorum) resolve([...answers]);
        },
        (error: unknown) => {
          errors.push(error);
          if (voters.length - errors.length < quorum) reject(errors[0]);
        },
      );
    }
  });
}
