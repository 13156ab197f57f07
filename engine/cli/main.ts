import { Command, CommanderError, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { ConfigError, readEnv } from '../env.ts';
import type { BundleOptions } from './commands/bundle.ts';
import type { VerifyBundleOptions } from './commands/verify-bundle.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

const program = new Command('tributary')
  .description('The indexer and reward-settlement engine for on-chain referral commerce.')
  .exitOverride()
  .showHelpAfterError('(--help shows what there is)')
  .addHelpText(
    'after',
    `
Exit codes: ${exitCodes.ok} all is well, ${exitCodes.failed} a check failed or the configuration is bad,
${exitCodes.usage} the command line is wrong, ${exitCodes.unavailable} a part did not answer.
Configuration is by environment variables: see README.md.`,
  );

program
  .command('start')
  .description('Run everything: PostgreSQL, chain, indexer, workers and API; Ctrl-C stops it all')
  .option('--check', 'wait until all is settled, verify every sale, audit, and exit')
  .option('--json', 'print machine-readable results')
  .action(async (options: { check?: boolean; json?: boolean }) => {
    const { runStart } = await import('./commands/start.ts');
    await runStart(readEnv(), { check: options.check === true, json: options.json === true });
  });

program
  .command('status')
  .description('Heads, lag, queue and discrepancies of a running deployment')
  .option('--url <url>', 'base address of the API (default: the one that runs here)', httpUrl)
  .option('--json', 'print the answer as JSON')
  .action(async (options: { url?: string; json?: boolean }) => {
    const { runStatus } = await import('./commands/status.ts');
    await runStatus(readEnv(), options);
  });

program
  .command('verify')
  .description('Check a sale against the chain: what the API serves, and what an RPC says')
  .argument('<chainId>', 'the chain, as its number', positiveInteger)
  .argument('<saleId>', 'the sale, as its number', positiveInteger)
  .option('--url <url>', 'base address of the API (default: the one that runs here)', httpUrl)
  .option('--rpc <url>', 'the RPC to ask (default: the deployment’s own)', httpUrl)
  .option('--contract <address>', 'the contract (default: the deployment’s own)', address)
  .option('--json', 'print the verification as JSON')
  .action(
    async (
      chainId: string,
      saleId: string,
      options: { url?: string; rpc?: string; contract?: `0x${string}`; json?: boolean },
    ) => {
      const { runVerify } = await import('./commands/verify.ts');
      await runVerify(readEnv(), { chainId, saleId, ...options });
    },
  );

program
  .command('bundle')
  .description('Write a sale’s receipt with the proofs by which anybody can check it, offline')
  .argument('<chainId>', 'the chain, as its number', positiveInteger)
  .argument('<saleId>', 'the sale, as its number', positiveInteger)
  .option('--out <file>', 'the file to write (default: standard output)')
  .option('--url <url>', 'base address of the API (default: the one that runs here)', httpUrl)
  .option('--rpc <url>', 'make it here, from this RPC; more than one may be given', eachHttpUrl)
  .option(
    '--contract <address>',
    'with --rpc: the contract (default: the deployment’s own)',
    address,
  )
  .option(
    '--link-headers <count>',
    'with --rpc: most headers that only link blocks (default: 256)',
    blockNumber,
  )
  .action(
    async (chainId: string, saleId: string, options: Omit<BundleOptions, 'chainId' | 'saleId'>) => {
      const { runBundle } = await import('./commands/bundle.ts');
      await runBundle(readEnv(), { chainId, saleId, ...options });
    },
  );

program
  .command('verify-bundle')
  .description('Check a receipt bundle with no network, by block hashes that you know')
  .argument('<file>', 'the bundle')
  .option(
    '--block-hash <hash>',
    'a block that you know to be on the chain; more than one may be given',
    eachBlockHash,
    [],
  )
  .option('--contract <address>', 'the contract (default: the deployment’s own)', address)
  .option('--chain-id <chainId>', 'the chain that the label must name', positiveInteger)
  .option('--json', 'print the verification as JSON')
  .action(async (file: string, options: Omit<VerifyBundleOptions, 'file'>) => {
    const { runVerifyBundle } = await import('./commands/verify-bundle.ts');
    await runVerifyBundle(readEnv(), { file, ...options });
  });

program
  .command('audit')
  .description('Check all invariants, against the ledger itself and against the contract')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { json?: boolean }) => {
    const { runAuditCommand } = await import('./commands/audit.ts');
    await runAuditCommand(readEnv(), options);
  });

const alarms = program
  .command('alarms')
  .description('Alarms about campaigns and tokens: list them, and acknowledge them with a reason')
  .option('--json', 'print them as JSON')
  .action(async (options: { json?: boolean }) => {
    const { runAlarms } = await import('./commands/alarms.ts');
    await runAlarms(readEnv(), options);
  });

for (const [action, what] of [
  ['acknowledge', 'Acknowledge an alarm, or all of a token or merchant'],
  ['unacknowledge', 'Take an acknowledgement back'],
] as const) {
  alarms
    .command(action)
    .description(what)
    .argument('<key>', 'as `tributary alarms` prints it; or <name>/token/<address>/*')
    .requiredOption('--reason <text>', 'why, 1 to 500 characters', reasonText)
    .action(async (key: string, { reason }: { reason: string }) => {
      const { runAlarmDecision } = await import('./commands/alarms.ts');
      await runAlarmDecision(readEnv(), {
        action,
        key,
        reason,
        ...alarms.opts<{ json?: boolean }>(),
      });
    });
}

program
  .command('replay')
  .description('Fold the ledger again from a block on; repairs what differs')
  .requiredOption('--from-block <number>', 'the first block to fold again', blockNumber)
  .option('--campaign <id>', 'only this campaign', positiveInteger)
  .option('--shadow', 'only compare: nothing is changed')
  .option('--json', 'print the findings as JSON')
  .action(
    async (options: { fromBlock: string; campaign?: string; shadow?: boolean; json?: boolean }) => {
      const { runReplay } = await import('./commands/replay.ts');
      await runReplay(readEnv(), options);
    },
  );

program
  .command('reindex')
  .description('Index the chain anew beside the indexer that runs, compare, and change over')
  .option('--drop-old', 'only drop what earlier indexers left')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { dropOld?: boolean; json?: boolean }) => {
    const { runReindex } = await import('./commands/reindex.ts');
    await runReindex(readEnv(), options);
  });

const digest = program
  .command('digest')
  .description('The ledger’s digest at a block, to compare two deployments by')
  .option('--block <number>', 'the block (default: the settled one)', blockNumber)
  .option('--url <url>', 'base address of the API (default: the one that runs here)', httpUrl)
  .option('--json', 'print the digests as JSON')
  .action(async (options: { block?: string; url?: string; json?: boolean }) => {
    const { runDigest } = await import('./commands/digest.ts');
    await runDigest(readEnv(), options);
  });

digest
  .command('compare')
  .description('Find the first block and campaign at which two deployments differ')
  .argument('<url>', 'base address of the one API', httpUrl)
  .argument('<other>', 'base address of the other API', httpUrl)
  .action(async (url: string, other: string) => {
    const { runDigestCompare } = await import('./commands/digest.ts');
    // Commander gives the command an option of the same name to the one above it.
    await runDigestCompare([url, other], digest.opts<{ json?: boolean }>());
  });

program
  .command('worker')
  .description('Run a settlement worker of a deployment; any number may run')
  .action(async () => {
    const { runWorker } = await import('./commands/worker.ts');
    await runWorker(readEnv());
  });

program
  .command('api')
  .description('Run the HTTP API of a deployment')
  .action(async () => {
    const { runApi } = await import('./commands/api.ts');
    await runApi(readEnv());
  });

const secret = program
  .command('secret')
  .description('The secret that signs links, if the database holds it');

secret
  .command('rotate')
  .description('Make a new secret; links of the one before it stay good for a day')
  .option('--forget-previous', 'end all older links within a minute, because the secret leaked')
  .action(async ({ forgetPrevious = false }: { forgetPrevious?: boolean }) => {
    const { runSecretRotate } = await import('./commands/secret.ts');
    await runSecretRotate(readEnv(), { forgetPrevious });
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Says what went wrong in a sentence, without a stack, and answers the exit code. */
function explain(error: unknown): number {
  // Commander has printed its own message already, and `--help` is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof ConfigError) {
    for (const sentence of error.sentences) console.error(pc.red(sentence));
    return exitCodes.failed;
  }
  if (error instanceof CommandError) {
    console.error(pc.red(error.message));
    return error.exitCode;
  }
  console.error(error instanceof Error ? pc.red(error.message) : error);
  return exitCodes.failed;
}

function reasonText(text: string): string {
  if (text.trim().length === 0 || text.length > 500 || text.includes('\0')) {
    throw new InvalidArgumentError('A reason has 1 to 500 characters.');
  }
  return text;
}

function positiveInteger(text: string): string {
  if (!/^[1-9][0-9]{0,77}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number above zero.`);
  }
  return text;
}

function blockNumber(text: string): string {
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not the number of a block.`);
  }
  return text;
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError(`"${text}" is not an http or https address.`);
  }
  return text;
}

function eachHttpUrl(text: string, before: readonly string[] = []): string[] {
  return [...before, httpUrl(text)];
}

function eachBlockHash(text: string, before: readonly `0x${string}`[]): `0x${string}`[] {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not 0x and 64 hexadecimal digits.`);
  }
  return [...before, text.toLowerCase() as `0x${string}`];
}

function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not 0x and 40 hexadecimal digits.`);
  }
  return text.toLowerCase() as `0x${string}`;
}
