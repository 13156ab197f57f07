// Allowed imports between parts (CONTRIBUTING.md#allowed-imports). A part may always import itself.
const folders = {
  core: '^engine/core/',
  contract: '^engine/contract/',
  db: '^engine/db/',
  chain: '^engine/chain/',
  queue: '^engine/queue/',
  net: '^engine/net/',
  settlement: '^engine/settlement/',
  jobs: '^engine/jobs/',
  keeper: '^engine/keeper/',
  backup: '^engine/backup/',
  verify: '^engine/verify/',
  http: '^engine/http/',
  // The parts of an HTTP server that know no database.
  server:
    '^engine/http/(auth/cookie|bearer|errors|input/cursor|input/decode|limits/(connection-limit|slow-readers)|listening|network-address|operations/(drain|metrics-route)|replicas/written-cookie|security|openapi/(failures|frame|headers|operation|schema|serve-document))[.]ts$',
  gateway: '^engine/gateway/',
  client: '^engine/client/',
  examples: '^examples/',
  sample: '^sample/',
  cli: '^engine/cli/',
  web: '^web/',
  secrets: '^engine/secrets/',
  'database-url': '^engine/database-url[.]ts$',
  env: '^engine/(env|variables)[.]ts$',
  version: '^engine/version[.]ts$',
  abis: '^abis/',
};

/** Each part, and the parts that it may import. `cli`, `scripts`, `bench` and `test` may import all. */
const allowed = {
  core: [],
  contract: ['core'],
  db: ['core', 'database-url', 'version'],
  chain: ['core', 'abis'],
  queue: [],
  net: [],
  settlement: ['core', 'db', 'chain', 'queue'],
  jobs: ['core', 'db', 'chain', 'queue', 'settlement', 'net', 'secrets', 'version'],
  keeper: ['core', 'db', 'chain'],
  backup: ['core', 'db', 'chain'],
  verify: ['core', 'abis'],
  http: ['core', 'contract', 'db', 'chain', 'queue', 'net', 'secrets', 'verify', 'version', 'abis'],
  gateway: ['core', 'contract', 'client', 'server', 'version'],
  client: ['contract', 'core'],
  examples: ['client', 'abis'],
  sample: ['core', 'db', 'client', 'verify', 'abis'],
  web: ['client', 'contract', 'core', 'verify'],
  secrets: ['core'],
  'database-url': [],
  env: ['database-url'],
  version: [],
  abis: [],
};

/** The project's own files, whatever their part: the rules leave packages and Node alone. */
const ours = '^(engine|examples|sample|src|abis|scripts|test|bench|web|ponder[.])';

/** A unit test next to its file may also use what all tests share. */
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
      comment: 'Importing it would run it, as Ponder does. Tests may take its pure parts.',
      severity: 'error',
      from: {
        path: ours,
        pathNot: ['^src/', '^ponder[.]', '^test/', '^engine/cli/stack/ponder/project[.]mjs$'],
      },
      to: { path: ['^src/', '^ponder[.]'] },
    },
    {
      name: 'one-port-to-the-database',
      comment: 'Everything else uses engine/db/connection.ts.',
      severity: 'error',
      from: { path: '^(engine|sample|scripts)/', pathNot: '^engine/db/driver/' },
      to: { path: 'node_modules/(postgres|postgres-array)/' },
    },
    {
      name: 'reads-do-not-import-writes',
      comment: 'What both need, such as the columns of a table, is in engine/db/rows.',
      severity: 'error',
      from: { path: '^engine/db/read/' },
      to: { path: '^engine/db/(write|commerce)/' },
    },
    {
      name: 'core-does-no-io',
      severity: 'error',
      from: { path: `${folders.core}|${folders.verify}`, pathNot: unitTest },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'handlers-import-no-handlers',
      comment: 'What two handlers need is in engine/http/resources/.',
      severity: 'error',
      from: { path: '^engine/http/routes/', pathNot: '/index[.]ts$' },
      to: { path: '^engine/http/routes/' },
    },
    {
      name: 'gateway-reaches-no-database',
      severity: 'error',
      from: { path: folders.gateway, pathNot: unitTest },
      to: { path: folders.db, reachable: true },
    },
    {
      name: 'product-imports-no-test',
      comment:
        'The simulator is a test that is run by hand: its entry is in scripts with the others.',
      severity: 'error',
      from: {
        path: '^(engine|sample|src|abis|scripts)/',
        pathNot: [unitTest, '^scripts/simulate[.]ts$'],
      },
      to: { path: '^test/|[.]test[.]ts$' },
    },
    {
      name: 'product-imports-no-script',
      comment: 'Scripts start the product, and are about it.',
      severity: 'error',
      from: { path: '^(engine|sample|src|abis|web)/', pathNot: unitTest },
      to: { path: '^scripts/' },
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
      // Peers of a benchmark are installed when it runs.
      to: { couldNotResolve: true, pathNot: '^(ponder:|@subsquid/)' },
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
