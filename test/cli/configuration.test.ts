import { expect, it } from 'vitest';
import { allVariables, type Program, unsetText, variables } from '../../engine/variables.ts';
import { runHere } from '../support/run-cli.ts';

/** Title and introduction of each group of variables on the page, in its order. */
const SECTIONS: Readonly<Record<keyof typeof variables, readonly [string, string]>> = {
  database: [
    'Database and queue',
    'A database belongs to the chain and contract of its first start, and refuses any other. [Read replicas](../operate/replicas.md) explains `DATABASE_REPLICA_URLS`.',
  ],
  chain: [
    'Chain',
    'Set the first four together: without them, `start` runs a local chain with sample data. [RPC](../operate/run.md#rpc) explains request rates and WebSockets, [Detect, don’t trust](../how-it-works/settlement.md#detect-dont-trust) quorum and headers, [Networks](networks.md) finality.',
  ],
  settlement: [
    'Indexer and settlement',
    '[Alarms](../operate/alarms.md) explains what happens after `STALL_SECONDS`.',
  ],
  server: [
    'API',
    '[Replacing an API](../operate/run.md#replacing-an-api) explains draining, [Limits](api.md#limits) the rate limits.',
  ],
  secrets: ['Secrets', '[Secrets](../operate/run.md#secrets) explains how to replace them.'],
  storage: [
    'Uploads and exports',
    'Set the bucket and both keys together. APIs and workers on several machines need a bucket, or one shared `DATA_DIR`.',
  ],
  backup: [
    'Backups',
    'For `tributary backup` and `tributary restore`: [Back up](../operate/back-up.md).',
  ],
  keeper: [
    'Keeper',
    'Without a key, somebody else must finalize sales: see [Keeper](../operate/run.md#keeper).',
  ],
  relayer: [
    'Relayer',
    'Without a key, or with both budgets at 0, no order is sent: see [Relayer](../operate/run.md#relayer).',
  ],
  deployer: [
    'Deploying the contract',
    'Set the key, or name a keystore file or an external signer: [Deploy](../start/public-chain.md#deploy-the-contract) shows each. [Networks](networks.md) has the default confirmations.',
  ],
  mail: [
    'E-mail',
    'Set both together, for the APIs and for the workers: [Notifications](../use/notifications.md) explains what is sent. `PUBLIC_URL` is where the links in mails lead. With a user name in the URL, the server must offer TLS.',
  ],
  gateway: [
    'Gateway',
    'One address for several deployments: see [Gateway](../operate/gateway.md).',
  ],
  monitoring: [
    'Files, logs and metrics',
    '[Metrics and traces](../operate/watch.md#metrics-and-traces) lists the metrics and their ports.',
  ],
  tracing: ['Traces', 'OpenTelemetry reads these and all its other `OTEL_*` variables itself.'],
};

const PAGE = `# Configuration

Tributary is configured by environment variables alone. This page is generated from
[\`engine/variables.ts\`](../../engine/variables.ts) by \`npx vitest run test/cli/configuration.test.ts -u\`;
\`npx tributary <command> --help\` prints the variables of one command.

An empty variable counts as not set. If a value is invalid or missing, the command stops with one message for each
variable. \`start\` passes to each process that it runs only the variables which that process reads. Values marked 🔒 are
secret: they are removed from logs. The indexer is Ponder; \`start\` sets its variables, and also \`PONDER_CACHE_SCHEMA\`,
which is not meant to be set by hand.

| variable | meaning | default | read by |
| --- | --- | --- | --- |
`;

it('generates docs/reference/configuration.md', async () => {
  const sections = (Object.keys(variables) as (keyof typeof variables)[]).map((group) => {
    const [title, text] = SECTIONS[group];
    const rows = Object.values(variables[group]).map(
      (variable) =>
        `| \`${variable.name}\`${variable.secret ? ' 🔒' : ''} | ${variable.description} | ${unsetText(variable)} | ${variable.programs.join(', ')} |`,
    );
    return `| **${title}** | ${text} | | |\n${rows.join('\n')}\n`;
  });
  await expect(`${PAGE}${sections.join('')}`).toMatchFileSnapshot(
    '../../docs/reference/configuration.md',
  );
});

it('lists in the help of each command the variables that it reads', async () => {
  const commands: Program[] = ['worker', 'status'];
  for (const command of commands) {
    const { stdout } = await runHere([command, '--help'], {});
    const listed = allVariables.filter(({ name }) => stdout.includes(`  ${name} `));
    expect(listed).toEqual(allVariables.filter(({ programs }) => programs.includes(command)));
  }
});
