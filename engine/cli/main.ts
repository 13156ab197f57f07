import { Command, CommanderError, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { ConfigError, readEnv } from '../env.ts';
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

function positiveInteger(text: string): string {
  if (!/^[1-9][0-9]{0,77}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not a whole number above zero.`);
  }
  return text;
}

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError(`"${text}" is not an http or https address.`);
  }
  return text;
}

function address(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new InvalidArgumentError(`"${text}" is not 0x and 40 hexadecimal digits.`);
  }
  return text.toLowerCase() as `0x${string}`;
}
