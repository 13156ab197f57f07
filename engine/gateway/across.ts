import type { z } from 'zod';
import type { Method } from '../contract/define.ts';
import { HttpError, invalidField } from '../http/errors.ts';
import { type Answer, NoAnswer } from './answers.ts';
import type { Deployment } from './deployment.ts';
import type { Directory } from './directory.ts';
import type { Passing } from './headers.ts';
import { type Identity, identityOf } from './identity.ts';
import type { MissingDeployment, ResponseDeployments } from './shapes.ts';

/** Request of a client across deployments. */
export interface AcrossRequest {
  readonly directory: Directory;
  /** Headers for a deployment: the client's address, and the session that the client has there. */
  readonly headersFor: (deployment: Passing) => Readonly<Record<string, string>>;
  /** True if the client has a session at a deployment. */
  readonly hasSession: (deployment: Passing) => boolean;
}

/** A deployment that answered. */
export interface Answered<T> extends Answer<T> {
  readonly deployment: Identity;
}

/** Collects who answered and who did not, over all calls of one request. */
export class Attendance {
  readonly #answered = new Map<Deployment, ResponseDeployments['answered'][number]>();
  readonly #missing = new Map<Deployment, MissingDeployment>();

  /** The result of a call; `undefined` if the deployment gave no valid answer, which is then named as missing. */
  async note<T>(
    deployment: Deployment,
    call: () => Promise<Answer<T>>,
  ): Promise<Answered<T> | undefined> {
    try {
      const answer = await call();
      const identity = identityOf(deployment.requireUp());
      this.#answered.set(deployment, { ...identity, chain: answer.meta.chain ?? null });
      return { ...answer, deployment: identity };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.issues.some(({ path }) => path === 'cursor')) {
        throw invalidField('cursor', 'is not a cursor of this service');
      }
      this.miss(deployment, error);
      return undefined;
    }
  }

  /** Names a deployment as missing. */
  miss(deployment: Deployment, { code, message }: NoAnswer): void {
    const { identity, name } = deployment;
    const ref = identity === undefined ? null : identityOf(identity);
    this.#missing.set(deployment, { name, deployment: ref, code, reason: message });
  }

  /** True if a deployment gave no valid answer. */
  isMissing(deployment: Deployment): boolean {
    return this.#missing.has(deployment);
  }

  /**
   * The deployments of the response.
   * @throws {HttpError} NOT_READY if none answered, unless there was none to ask.
   */
  summary(finished: readonly Identity[] = []): ResponseDeployments {
    const missing = [...this.#missing.values()];
    const answered = [...this.#answered]
      .filter(([deployment]) => !this.#missing.has(deployment))
      .map(([, one]) => one);
    if (answered.length === 0 && missing.length > 0 && finished.length === 0) {
      throw new HttpError(
        'NOT_READY',
        'No deployment answered: try again.',
        missing.map(({ name, reason }) => ({ path: name, message: reason })),
      );
    }
    return { answered, missing, ...(finished.length > 0 && { finished: [...finished] }) };
  }
}

/** Calls a method of all deployments concurrently, and names in `attendance` those without a valid answer. */
export async function askAll<S extends z.ZodType>(
  { directory, headersFor }: AcrossRequest,
  attendance: Attendance,
  method: Method & { readonly output: S },
  input: Readonly<Record<string, unknown>>,
): Promise<Answered<z.infer<S>>[]> {
  const answers = await Promise.all(
    directory.all.map((deployment) =>
      attendance.note(deployment, () =>
        deployment.call(method, input, headersOf(deployment, headersFor)),
      ),
    ),
  );
  return answers.filter((answer) => answer !== undefined);
}

/** Headers of a call; none for a deployment that is not known yet, which is not asked. */
export function headersOf(
  { identity, isDeclared }: Deployment,
  headersFor: AcrossRequest['headersFor'],
): Readonly<Record<string, string>> {
  return identity === undefined ? {} : headersFor({ identity, isDeclared });
}

/** Items of several lists in turns: the first of each, then the second of each. */
export function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
