import { allVariables, type Program, type Variable, variables } from './variables.ts';

type Group = Readonly<Record<string, Variable>>;

/** Parsed values of a group of variables, by field name. */
type Values<G extends Group> = {
  readonly [F in keyof G]: G[F] extends Variable<infer T> ? T : never;
};

/** Values of a group of which some fields must be set. */
type WithRequired<G extends Group, F extends keyof G> = {
  readonly [K in F]: NonNullable<Values<G>[K]>;
} & { readonly [K in Exclude<keyof G, F>]?: NonNullable<Values<G>[K]> };

/** Chain that a deployment serves. `contractAddress` is in lower case; `rpcQuorum` defaults to 1. */
export type ChainEnv = WithRequired<
  typeof variables.chain,
  'chainId' | 'rpcUrls' | 'contractAddress' | 'startBlock'
> & {
  /** Hash by which the ledger has recorded the chain, which no variable says. */
  readonly genesisHash?: `0x${string}`;
};

/** S3-compatible bucket for uploads and exports. */
type StorageEnv = Omit<Values<typeof variables.storage>, 'bucket' | 'accessKeyId'> & {
  readonly [F in 'bucket' | 'accessKeyId' | 'secretAccessKey']: string;
};

/** Configuration of a process (docs/reference/configuration.md). `undefined` parts are embedded or off. */
export type Env = ReturnType<typeof readEnv>;

/** Thrown if the environment is wrong: one sentence for each bad or missing variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration. Entry points call it once; nothing else reads the environment. An empty
 * variable counts as not set.
 *
 * @throws {ConfigError} with one sentence for each variable that is missing or bad.
 */
export function readEnv(source: Source = process.env) {
  const reader = new Reader(source);
  const { database, settlement, server, secrets, gateway, monitoring } = variables;
  const env = {
    ...reader.read(database),
    ...reader.read(settlement),
    ...reader.read(server),
    ...reader.read(secrets),
    ...reader.read(gateway),
    ...reader.read(monitoring),
    /** True if `PORT` is not set: `start` may then take another one. */
    portIsDefault: !reader.isSet(server.port),
    chain: chainOf(reader),
    /** `undefined` if files are stored in `dataDir`. */
    storage: storageOf(reader),
    /** How the bucket of backups is reached, where that differs from `storage`. */
    backup: reader.read(variables.backup),
    /** `undefined` if no keeper runs. */
    keeper: keeperOf(reader),
    /** `undefined` if no relayer runs. */
    relayer: relayerOf(reader),
    /** `undefined` if no e-mail is sent. */
    mail: reader.readTogether(variables.mail, ['url', 'from'], 'e-mail'),
    /** `undefined` if no traces are sent. */
    tracing: tracingOf(reader),
  };
  if (env.relayer !== undefined && env.relayer.privateKey === env.keeper?.privateKey) {
    reader.sentences.push(
      'RELAYER_PRIVATE_KEY is also KEEPER_PRIVATE_KEY: each needs an account of its own.',
    );
  }
  if (env.secretPrevious !== undefined && !reader.isSet(secrets.secret)) {
    reader.sentences.push(
      'SECRET_PREVIOUS is set without SECRET: also set the secret that replaced it.',
    );
  }
  if (reader.sentences.length > 0) throw new ConfigError(reader.sentences);
  return env;
}

/** Secrets of the account that deploys the contract, of which one or none is set. */
export type DeployerEnv = Values<typeof variables.deployer>;

/**
 * Reads the variables of `tributary deploy` alone: before the contract is deployed, those of the chain
 * cannot be complete.
 *
 * @throws {ConfigError} with one sentence for each that is bad.
 */
export function readDeployerEnv(source: Source = process.env): DeployerEnv {
  const reader = new Reader(source);
  const env = reader.read(variables.deployer);
  if (reader.sentences.length > 0) throw new ConfigError(reader.sentences);
  return env;
}

/** Variables of a chain, of which any may be missing. */
export type ChainValues = Values<typeof variables.chain>;

/**
 * Reads the variables of a chain alone, for `tributary doctor`: an RPC is chosen before there is a contract.
 *
 * @throws {ConfigError} with one sentence for each that is bad.
 */
export function readChainValues(source: Source = process.env): ChainValues {
  const reader = new Reader(source);
  const values = reader.read(variables.chain);
  if (reader.sentences.length > 0) throw new ConfigError(reader.sentences);
  return values;
}

/**
 * Besides our own variables: `NODE_EXTRA_CA_CERTS` names the authorities of a private network, for each of its processes,
 * and `MALLOC_ARENA_MAX` sets how many heaps the C library has.
 */
const INHERITED = [
  ...['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot'],
  ...['NODE_EXTRA_CA_CERTS', 'MALLOC_ARENA_MAX'],
];

/**
 * Environment that a child process inherits: the variables of programs, home folder, time zone and
 * temporary files, `OTEL_*`, and the variables that `program` reads.
 */
export function inheritedEnv(
  program?: Program,
  source: Source = process.env,
): Record<string, string> {
  const names = new Set(INHERITED);
  for (const { name, programs } of allVariables) {
    if (program !== undefined && programs.includes(program)) names.add(name);
  }
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) =>
      value !== undefined && (names.has(name) || name.startsWith('OTEL_')) ? [[name, value]] : [],
    ),
  );
}

/**
 * Makes this process build for production. Vite keeps a `NODE_ENV` that is set, and builds pages for any other value that
 * show nothing: they call functions that React has in development alone.
 */
export function buildForProduction(): void {
  process.env.NODE_ENV = 'production';
}

/** Values of an environment that must not reach a log. */
export function secretsOf(env: Readonly<Record<string, string>>): string[] {
  return allVariables.flatMap(({ name, secret }) => (secret && env[name] ? [env[name]] : []));
}

/** Parses groups of variables, and collects a sentence for each bad one. */
class Reader {
  readonly sentences: string[] = [];
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  isSet({ name }: Variable): boolean {
    return this.#given(name) !== undefined;
  }

  read<G extends Group>(group: G): Values<G> {
    const entries = Object.entries(group).map(([field, variable]) => [
      field,
      this.#parse(variable),
    ]);
    return Object.fromEntries(entries) as Values<G>;
  }

  /**
   * Values of a group in which the given fields go together: all of them are set, or none.
   * @returns `undefined` if none is set, or one is bad or missing.
   */
  readTogether<G extends Group, F extends keyof G & string>(
    group: G,
    fields: readonly F[],
    thing: string,
  ): (Values<G> & { readonly [K in F]: NonNullable<Values<G>[K]> }) | undefined {
    const values = this.read(group);
    const names = fields.map((field) => group[field]?.name ?? field);
    const missing = names.filter((name) => this.#given(name) === undefined);
    if (missing.length === names.length) return undefined;
    this.sentences.push(
      ...missing.map((name) => `${name} is missing: ${thing} needs all of ${names.join(', ')}.`),
    );
    if (fields.some((field) => values[field] === undefined)) return undefined;
    return values as Values<G> & { readonly [K in F]: NonNullable<Values<G>[K]> };
  }

  #given(name: string): string | undefined {
    return this.#source[name]?.trim() || undefined;
  }

  #parse(variable: Variable): unknown {
    const text = this.#given(variable.name) ?? variable.default;
    if (text === undefined) return undefined;
    const parsed = variable.schema.safeParse(text);
    const [issue] = parsed.error?.issues ?? [];
    if (issue === undefined) return parsed.data;
    const entry = typeof issue.path[0] === 'number' ? ` (entry ${issue.path[0] + 1})` : '';
    this.sentences.push(`${variable.name}${entry} ${issue.message}.`);
    return undefined;
  }
}

function chainOf(reader: Reader): ChainEnv | undefined {
  const fields = ['chainId', 'rpcUrls', 'contractAddress', 'startBlock'] as const;
  const chain = reader.readTogether(variables.chain, fields, 'a chain');
  if (chain === undefined) return undefined;
  const urlCount = new Set(chain.rpcUrls).size;
  const { rpcQuorum: needed = 1 } = chain;
  if (needed > urlCount) {
    reader.sentences.push(
      `RPC_QUORUM is ${needed}, but RPC_URL names ${urlCount === 1 ? 'one RPC' : `${urlCount} RPCs`}.`,
    );
  }
  return Object.fromEntries(
    Object.entries(chain).filter(([, value]) => value !== undefined),
  ) as ChainEnv;
}

function storageOf(reader: Reader): StorageEnv | undefined {
  const fields = ['bucket', 'accessKeyId', 'secretAccessKey'] as const;
  return reader.readTogether(variables.storage, fields, 'a bucket');
}

function keeperOf(reader: Reader) {
  return reader.readTogether(variables.keeper, ['privateKey'], 'a keeper');
}

function relayerOf(reader: Reader) {
  return reader.readTogether(variables.relayer, ['privateKey'], 'a relayer');
}

function tracingOf(reader: Reader) {
  const { exporter, endpoint, tracesEndpoint, serviceName, disabled } = reader.read(
    variables.tracing,
  );
  if (exporter === 'none' || disabled === 'true') return undefined;
  return (exporter ?? endpoint ?? tracesEndpoint) === undefined ? undefined : { serviceName };
}
