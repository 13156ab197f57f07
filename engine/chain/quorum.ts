/** Thrown if RPCs contradict each other: only a person or time can tell which one is right. */
export class RpcDisagreementError extends Error {
  override readonly name = 'RpcDisagreementError';
}

/**
 * Asks every voter and returns an answer as soon as `quorum` of them have given it.
 * @param what the subject of the request, for the error's sentence.
 * @param onDisagreement receives the indexes of the voters whose answer fewer gave than another one, or of all if no answer
 *   has more votes, once all have answered. `null` is no such answer: that voter may only be behind.
 * @throws {RpcDisagreementError} if at least `quorum` voters answer, and no answer has `quorum` votes.
 * @throws the first voter's own error if fewer than `quorum` answer.
 */
export function agree<Voter, T>(
  voters: readonly Voter[],
  quorum: number,
  what: string,
  ask: (voter: Voter) => Promise<T>,
  onDisagreement: (voters: readonly number[]) => void = () => {},
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
      const disagreeing = minorityOf(answers);
      if (disagreeing.length > 0) onDisagreement(disagreeing);
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

/** Voters whose answer fewer gave than another one; all of them if there are several answers with the most votes. */
function minorityOf(answers: ReadonlyMap<number, string>): readonly number[] {
  const votes = new Map<string, number>();
  for (const key of answers.values()) votes.set(key, (votes.get(key) ?? 0) + 1);
  if (votes.size < 2) return [];
  const most = Math.max(...votes.values());
  const isTie = [...votes.values()].filter((count) => count === most).length > 1;
  return [...answers].flatMap(([index, key]) => (isTie || votes.get(key) !== most ? [index] : []));
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
