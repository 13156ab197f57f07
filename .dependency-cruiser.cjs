// Who may import whom: the table of docs/design §2, as rules. A folder may always import itself.
const folders = {
  core: '^engine/core/',
  contract: '^engine/contract/',
  db: '^engine/db/',
  settlement: '^engine/settlement/',
  jobs: '^engine/jobs/',
  keeper: '^engine/keeper/',
  verify: '^engine/verify/',
  http: '^engine/http/',
  client: '^engine/client/',
  cli: '^engine/cli/',
  web: '^web/',
  env: '^engine/env[.]ts$',
  abis: '^abis/',
};

/** Each part, and the parts it may import. `cli`, `scripts` and `test` may import all. */
const allowed = {
  core: [],
  contract: ['core'],
  db: ['core'],
  settlement: ['core', 'db'],
  jobs: ['core', 'db', 'settlement'],
  keeper: ['core', 'db', 'abis'],
  verify: ['core', 'abis'],
  http: ['core', 'contract', 'db', 'settlement', 'jobs', 'verify', 'abis'],
  client: ['contract'],
  web: ['client', 'core', 'verify'],
  env: [],
  abis: [],
};

/** The project's own files, whatever their part: the rules leave packages and Node alone. */
const ours = '^(engine|src|abis|scripts|test|bench|web|ponder[.])';

/** A unit test beside its file may also use what all tests share. */
const unitTest = '[.]test[.]ts$';

const oneWay = Object.entries(allowed).map(([part, imports]) => ({
  name: `${part}-imports-only-${imports.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: folders[part], pathNot: unitTest },
  to: { path: ours, pathNot: [part, ...imports].map((name) => folders[name]) },
}));

module.exports = {
  forbidden: [
    ...oneWay,
    {
      name: 'ponder-runs-only-itself',
      comment: 'A file outside src/ is not hashed into the build id: old rows would go stale.',
      severity: 'error',
      from: { path: '^(src/|ponder[.])' },
      to: { path: ours, pathNot: ['^src/', '^ponder[.]', folders.abis] },
    },
    {
      name: 'nothing-imports-the-indexer',
      comment: 'Importing it would run it. Tests may take its pure parts.',
      severity: 'error',
      from: { path: ours, pathNot: ['^src/', '^ponder[.]', '^test/'] },
      to: { path: ['^src/', '^ponder[.]'] },
    },
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: { path: `${folders.core}|${folders.verify}`, pathNot: unitTest },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'product-imports-no-test',
      comment: 'The simulator is a test that is run by hand: its entry stands with the others.',
      severity: 'error',
      from: {
        path: '^(engine|src|abis|scripts)/',
        pathNot: [unitTest, '^scripts/simulate[.]ts$'],
      },
      to: { path: '^test/|[.]test[.]ts$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^ponder:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^abis/.*[.]json$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
};
