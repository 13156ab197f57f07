import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { registry } from '../contract/registry.ts';
import { Address, ChainId, Hash32 } from '../contract/values.ts';
import { NoAnswer } from './answers.ts';
import { Deployment, type DeploymentLimits } from './deployment.ts';
import { type Identity, isSame, nameOf, type Target } from './identity.ts';

/** Thrown if the deployments cannot be served together. */
export class DeploymentsError extends Error {
  override readonly name = 'DeploymentsError';
}

export interface DirectoryOptions {
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<DeploymentLimits> | undefined;
  /** Milliseconds between two checks of a deployment that answers; default 5 s. */
  readonly checkMs?: number | undefined;
  /** Milliseconds between two checks of one that does not; default 1 s. */
  readonly awayCheckMs?: number | undefined;
}

const CHECK_MS = 5_000;
const AWAY_CHECK_MS = 1_000;

const Identified = z.object({
  data: z.object({
    deployment: z.object({ chainId: ChainId, contractAddress: Address, genesisHash: Hash32 }),
  }),
});

type Found = Identity & { readonly genesisHash: string };

/** Result of a check: the identity, or why there is none. */
type Checked = { readonly found: Found } | { readonly found?: never; readonly why: string };

/** All deployments of a gateway. It asks each for its identity, at the start and then again and again. */
export class Directory {
  readonly all: readonly Deployment[];
  readonly #options: DirectoryOptions;
  readonly #stop = new AbortController();
  #checks: Promise<unknown> = Promise.resolve();

  private constructor(targets: readonly Target[], options: DirectoryOptions) {
    this.#options = options;
    this.all = targets.map((target, index) => new Deployment(target, index + 1, options.limits));
  }

  /**
   * Opens the directory: waits for the first answer of each deployment, or its deadline.
   * @throws {DeploymentsError} if two deployments are the same, or one is not the declared one.
   */
  static async open(targets: readonly Target[], options: DirectoryOptions): Promise<Directory> {
    const directory = new Directory(targets, options);
    try {
      const found = await Promise.all(directory.all.map((one) => directory.#check(one)));
      requireDistinct(directory.all, found);
    } catch (error) {
      await directory.close();
      throw error;
    }
    for (const { isDeclared, name } of directory.all) {
      if (isDeclared) continue;
      const fields = { deployment: name };
      options.logger.warn(
        fields,
        'DEPLOYMENTS does not declare it: it gets reads without credentials',
      );
    }
    directory.#checks = Promise.all(directory.all.map((one) => directory.#watch(one)));
    return directory;
  }

  /** Deployments of a chain, and of one contract if it is given. */
  find(chainId: number, contractAddress?: string): Deployment[] {
    return this.all.filter(
      ({ identity }) =>
        identity?.chainId === chainId &&
        (contractAddress === undefined || identity.contractAddress === contractAddress),
    );
  }

  /** Deployments whose identity is not known yet: any of them may be the one that a request names. */
  get unidentified(): Deployment[] {
    return this.all.filter(({ identity }) => identity === undefined);
  }

  /** Ends all streams that are passed on: their clients reconnect and resume. */
  endStreams(): void {
    for (const one of this.all) one.endStreams();
  }

  /** Stops the checks, and closes all connections. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#checks;
    await Promise.all(this.all.map((one) => one.close()));
  }

  async #watch(deployment: Deployment): Promise<void> {
    const { checkMs = CHECK_MS, awayCheckMs = AWAY_CHECK_MS } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const isWell = deployment.state === 'up' && !deployment.isFailing;
      const pause = isWell ? checkMs : awayCheckMs;
      await setTimeout(pause, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.#check(deployment);
    }
  }

  /** Asks a deployment who it is, and changes its state if that changed. */
  async #check(deployment: Deployment): Promise<Found | undefined> {
    const { logger } = this.#options;
    const before = deployment.state;
    const checked = await readIdentity(deployment);
    const { found } = checked;
    if (found === undefined) deployment.checkFailed();
    else if (this.#isExpected(deployment, found)) deployment.identify(found, found.genesisHash);
    else deployment.refuse();
    const { name, state } = deployment;
    if (state !== before) {
      const result = checked.found === undefined ? checked : { found: nameOf(checked.found) };
      const fields = { deployment: name, ...result };
      if (state === 'up') logger.info(fields, 'the deployment answers');
      else if (state === 'away')
        logger.warn(fields, 'the deployment does not answer with its identity');
      else logger.error(fields, 'the deployment is not the expected one, or is configured twice');
    }
    return found;
  }

  #isExpected(deployment: Deployment, found: Found): boolean {
    const { identity, genesisHash } = deployment;
    if (identity !== undefined && !isSame(identity, found)) return false;
    if (genesisHash !== undefined && genesisHash !== found.genesisHash) return false;
    return !this.all.some(
      (other) =>
        other !== deployment && other.identity !== undefined && isSame(other.identity, found),
    );
  }
}

/** Asks a deployment for its identity. One without a ledger has none yet. */
async function readIdentity(deployment: Deployment): Promise<Checked> {
  try {
    const { status, body } = await deployment.probe(registry.system.status);
    if (status !== 200) return { why: `It answered ${status}.` };
    const parsed = Identified.safeParse(JSON.parse(body));
    if (!parsed.success) return { why: 'Its answer has no identity.' };
    const { chainId, contractAddress, genesisHash } = parsed.data.data.deployment;
    const found = {
      chainId,
      contractAddress: contractAddress.toLowerCase() as `0x${string}`,
      genesisHash: genesisHash.toLowerCase(),
    };
    return { found };
  } catch (error) {
    if (error instanceof NoAnswer) return { why: error.message };
    return { why: 'Its answer is not JSON.' };
  }
}

function requireDistinct(all: readonly Deployment[], found: readonly (Found | undefined)[]): void {
  const names = new Map<string, number>();
  for (const [index, deployment] of all.entries()) {
    const { target, number } = deployment;
    const answered = found[index];
    if (target.identity && answered && !isSame(target.identity, answered)) {
      throw new DeploymentsError(
        `DEPLOYMENTS declares deployment ${number} as ${nameOf(target.identity)}, but ${nameOf(answered)} answers there.`,
      );
    }
    const identity = target.identity ?? answered;
    if (identity === undefined) continue;
    const other = names.get(nameOf(identity));
    if (other !== undefined) {
      throw new DeploymentsError(
        `DEPLOYMENTS names ${nameOf(identity)} twice: deployments ${other} and ${number}.`,
      );
    }
    names.set(nameOf(identity), number);
  }
}
