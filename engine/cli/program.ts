import { Command, CommanderError, Option } from 'commander';
import { ConfigError, readChainValues, readDeployerEnv, readEnv } from '../env.ts';
import type { Program } from '../variables.ts';
import { version } from '../version.ts';
import {
  address,
  blockNumber,
  confirmations,
  deploymentSalt,
  eachBlockHash,
  eachHttpUrl,
  httpUrl,
  positiveInteger,
  reasonText,
  subscriptionList,
  webhookSecret,
  wei,
  wholeNumber,
} from './arguments.ts';
import type { BackupCommandOptions } from './commands/backup.ts';
import type { BundleOptions } from './commands/bundle.ts';
import type { DeployOptions, VerifyContractOptions } from './commands/deploy.ts';
import type { ListenCommandOptions } from './commands/listen.ts';
import type { VerifyBundleOptions } from './commands/verify-bundle.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { helpConfiguration, suggestCommands, variablesHelp } from './help.ts';
import { out } from './output.ts';

const program = new Command('tributary')
  .description('The indexer and reward-settlement engine for on-chain referral commerce.')
  .version(`tributary ${version}`)
  .exitOverride()
  .configureHelp(helpConfiguration)
  .showHelpAfterError('(run with --help for usage)')
  .addHelpText(
    'after',
    `
Exit codes: ${exitCodes.ok} success, ${exitCodes.failed} a check failed or the configuration is wrong,
${exitCodes.usage} the command line is wrong, ${exitCodes.unavailable} a part did not respond, ${exitCodes.portTaken} a port is in use,
${exitCodes.notFound} the API does not have what the command names, ${exitCodes.outdated} a receipt is old.
Each command's --help lists the environment variables that it reads; docs/reference/configuration.md has all.`,
  );

program
  .command('start')
  .description('Run everything: PostgreSQL, chain, indexer, workers and API, until Ctrl-C')
  .option('--check', 'settle, verify every sale, audit every invariant, and exit')
  .option('--json', 'print machine-readable results')
  .action(async (options: { check?: boolean; json?: boolean }) => {
    const { runStart } = await import('./commands/start.ts');
    await runStart(readEnv(), { check: options.check === true, json: options.json === true });
  });

program
  .command('status')
  .description('Show the heads, lag, queue and alarms of a running deployment')
  .addOption(apiUrl())
  .option('--json', 'print the status as JSON')
  .action(async (options: { url?: string; json?: boolean }) => {
    const { runStatus } = await import('./commands/status.ts');
    await runStatus(readEnv(), options);
  });

program
  .command('doctor')
  .description('Ask RPCs what they can do, in at most 60 calls each, and say what a lack costs')
  // Not parsed here: Commander repeats a wrong value, and a URL may hold a key.
  .option('--rpc <urls...>', 'RPCs, separated by commas or spaces (default: RPC_URL)')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { rpc?: readonly string[]; json?: boolean }) => {
    const { runDoctor } = await import('./commands/doctor.ts');
    await runDoctor(readChainValues(), options);
  });

program
  .command('verify')
  .description('Compare the receipt of a sale, as the API serves it, with the chain')
  .argument('<chainId>', 'chain id', positiveInteger)
  .argument('<saleId>', 'sale id', positiveInteger)
  .addOption(apiUrl())
  .option('--rpc <url>', 'RPC to verify against (default: the deployment’s own)', httpUrl)
  .option('--contract <address>', 'contract (default: the deployment’s own)', address)
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
  .description('Write a sale’s receipt with proofs, so that anybody can check it offline')
  .argument('<chainId>', 'chain id', positiveInteger)
  .argument('<saleId>', 'sale id', positiveInteger)
  .option('--out <file>', 'output file (default: standard output)')
  .addOption(apiUrl())
  .option('--rpc <url>', 'make the bundle here from this RPC; repeatable', eachHttpUrl)
  .option('--contract <address>', 'with --rpc: contract (default: the deployment’s own)', address)
  .option(
    '--link-headers <count>',
    'with --rpc: maximum number of headers that link blocks (default: 256)',
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
  .description('Check a receipt bundle offline, against block hashes that you know')
  .argument('<file>', 'bundle file')
  .option(
    '--block-hash <hash>',
    'hash of a block that you know to be on the chain; repeatable',
    eachBlockHash,
    [],
  )
  .option('--contract <address>', 'contract (default: the deployment’s own)', address)
  .option('--chain-id <chainId>', 'chain id that the bundle must name', positiveInteger)
  .option('--json', 'print the verification as JSON')
  .action(async (file: string, options: Omit<VerifyBundleOptions, 'file'>) => {
    const { runVerifyBundle } = await import('./commands/verify-bundle.ts');
    await runVerifyBundle(readEnv(), { file, ...options });
  });

program
  .command('audit')
  .description('Check all invariants of the ledger against itself and the contract')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { json?: boolean }) => {
    const { runAuditCommand } = await import('./commands/audit.ts');
    await runAuditCommand(readEnv(), options);
  });

const alarms = program
  .command('alarms')
  .description('List alarms about campaigns and tokens, or acknowledge them with a reason')
  .option('--json', 'print the alarms as JSON')
  .action(async (options: { json?: boolean }) => {
    const { runAlarms } = await import('./commands/alarms.ts');
    await runAlarms(readEnv(), options);
  });

for (const [action, what] of [
  ['acknowledge', 'Acknowledge an alarm, or all alarms of a token or merchant'],
  ['unacknowledge', 'Remove an acknowledgement'],
] as const) {
  alarms
    .command(action)
    .description(what)
    .argument('<key>', 'key from `tributary alarms`, or <name>/token/<address>/*')
    .requiredOption('--reason <text>', 'reason, 1 to 500 characters', reasonText)
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
  .description('Fold the ledger again from a block on, and repair differences')
  .requiredOption('--from-block <number>', 'first block to fold again', blockNumber)
  .option('--campaign <id>', 'only fold this campaign', positiveInteger)
  .option('--shadow', 'only compare, change nothing')
  .option('--json', 'print the findings as JSON')
  .action(
    async (options: { fromBlock: string; campaign?: string; shadow?: boolean; json?: boolean }) => {
      const { runReplay } = await import('./commands/replay.ts');
      await runReplay(readEnv(), options);
    },
  );

program
  .command('reindex')
  .description('Index the chain again next to the running indexer, compare, and switch over')
  .option('--drop-old', 'only drop schemas of earlier indexers')
  .option('--json', 'print the findings as JSON')
  .action(async (options: { dropOld?: boolean; json?: boolean }) => {
    const { runReindex } = await import('./commands/reindex.ts');
    await runReindex(readEnv(), options);
  });

const digest = program
  .command('digest')
  .description('Show the ledger’s digest at a block, or compare two deployments')
  .option('--block <number>', 'block (default: the settled block)', blockNumber)
  .addOption(apiUrl())
  .option('--json', 'print the digests as JSON')
  .action(async (options: { block?: string; url?: string; json?: boolean }) => {
    const { runDigest } = await import('./commands/digest.ts');
    await runDigest(readEnv(), options);
  });

digest
  .command('compare')
  .description('Find the first block and campaign at which two deployments differ')
  .argument('<url>', 'base address of one API', httpUrl)
  .argument('<other>', 'base address of the other API', httpUrl)
  .action(async (url: string, other: string) => {
    const { runDigestCompare } = await import('./commands/digest.ts');
    // Commander assigns an option of the same name to the parent command.
    await runDigestCompare([url, other], digest.opts<{ json?: boolean }>());
  });

program
  .command('listen')
  .description('Forward events as signed webhooks to a receiver that you develop, until Ctrl-C')
  .requiredOption('--forward-to <url>', 'address of the receiver', httpUrl)
  .option(
    '--events <list>',
    'such as sale.recorded, sale.*@safe or *@finalized, separated by commas (default: all)',
    subscriptionList,
  )
  .option('--account <address>', 'only events that concern this account', address)
  .option('--campaign <id>', 'only events of this campaign', positiveInteger)
  .option('--from <id>', 'resume after this id, which an earlier run printed')
  .option('--secret <secret>', 'whsec_… that signs (default: a random one)', webhookSecret)
  .addOption(apiUrl())
  .option('--json', 'print a line of JSON for each attempt')
  .action(async (options: ListenCommandOptions) => {
    const { runListen } = await import('./commands/listen.ts');
    await runListen(readEnv(), options);
  });

program
  .command('trigger')
  .description('Cause a real event on the local chain of a running `tributary start`')
  .argument('[type]', 'name of the event; without it, lists the possible names')
  .option('--campaign <id>', 'campaign (default: the first that fits)', positiveInteger)
  .option('--json', 'print the event as JSON')
  .action(async (type: string | undefined, options: { campaign?: string; json?: boolean }) => {
    const { runTrigger } = await import('./commands/trigger.ts');
    await runTrigger(readEnv(), { type, ...options });
  });

program
  .command('migrate')
  .description('Bring the database up to date, record its chain, and exit')
  .option('--json', 'print the applied migrations as JSON')
  .action(async (options: { json?: boolean }) => {
    const { runMigrate } = await import('./commands/migrate.ts');
    await runMigrate(readEnv(), options);
  });

program
  .command('indexer')
  .description('Run the indexer; exactly one may run')
  .action(async () => {
    const { runIndexer } = await import('./commands/indexer.ts');
    await runIndexer(readEnv());
  });

program
  .command('worker')
  .description('Run a settlement worker; any number may run')
  .action(async () => {
    const { runWorker } = await import('./commands/worker.ts');
    await runWorker(readEnv());
  });

program
  .command('api')
  .description('Run the HTTP API; any number may run')
  .action(async () => {
    const { runApi } = await import('./commands/api.ts');
    await runApi(readEnv());
  });

program
  .command('gateway')
  .description('Serve several deployments under one address')
  .action(async () => {
    const { runGateway } = await import('./commands/gateway.ts');
    await runGateway(readEnv());
  });

program
  .command('deploy')
  .description('Deploy the contract, check its code, and print the variables to start with')
  .requiredOption('--rpc <url>', 'RPC of the chain', httpUrl)
  .option('--keystore <file>', 'key: Web3 Secret Storage (scrypt or pbkdf2)')
  .option('--password-file <file>', 'password of the keystore, in the first line')
  .option('--signer <url>', 'key: an external signer (web3signer, Clef, a node)', httpUrl)
  .option('--from <address>', 'account of the external signer', address)
  .option(
    '--salt <text>',
    'deterministic address: any text, or 0x and 64 hexadecimal digits',
    deploymentSalt,
  )
  .option('--confirmations <count>', 'blocks to wait for, with that of the contract', confirmations)
  .option('--dry-run', 'show what would be sent and what it may cost, and send nothing')
  .option('--yes', 'do not ask before sending')
  .option('--write-env <file>', 'write the variables to start with')
  .option('--standard-json <file>', 'write the input of solc, for block explorers')
  .option('--json', 'print the deployment as JSON, without asking')
  .action(async (options: DeployOptions) => {
    const { runDeploy } = await import('./commands/deploy.ts');
    await runDeploy(readDeployerEnv(), options);
  });

program
  .command('verify-contract')
  .description('Compare the code of a deployed contract with this build')
  .argument('<address>', 'address of the contract', address)
  .requiredOption('--rpc <url>', 'RPC of the chain', httpUrl)
  .option('--write-env <file>', 'write the variables to start with')
  .option('--standard-json <file>', 'write the input of solc, for block explorers')
  .option('--json', 'print the contract as JSON')
  .action(async (given: `0x${string}`, options: VerifyContractOptions) => {
    const { runVerifyContract } = await import('./commands/deploy.ts');
    await runVerifyContract(given, options);
  });

const secret = program
  .command('secret')
  .description('Manage the secret that signs links, if it is in the database');

secret
  .command('rotate')
  .description('Store a new secret; links of the previous one stay valid for a day')
  .option('--forget-previous', 'invalidate all older links within a minute, after a leak')
  .action(async ({ forgetPrevious = false }: { forgetPrevious?: boolean }) => {
    const { runSecretRotate } = await import('./commands/secret.ts');
    await runSecretRotate(readEnv(), { forgetPrevious });
  });

program
  .command('gas-budget')
  .description('List or set what the relayer may spend on a day for a merchant')
  .argument('[merchant]', 'account of the merchant', address)
  .argument('[wei]', 'wei a day; without it, the default again', wei)
  .option('--json', 'print the budgets as JSON')
  .action(
    async (
      merchant: `0x${string}` | undefined,
      daily: bigint | undefined,
      { json }: { json?: boolean },
    ) => {
      const { runGasBudget } = await import('./commands/gas-budget.ts');
      await runGasBudget(readEnv(), { merchant, daily, json });
    },
  );

const account = program
  .command('account')
  .description('Export or delete what is stored about an account, for a person who asked for it');

account
  .command('export')
  .description('Print the rows as JSON, without secrets')
  .argument('<address>', 'account', address)
  .action(async (of: `0x${string}`) => {
    const { runAccountExport } = await import('./commands/account.ts');
    await runAccountExport(readEnv(), of);
  });

account
  .command('delete')
  .description('Delete the account, unless something of it is open; this cannot be undone')
  .argument('<address>', 'account', address)
  .requiredOption('--yes', 'confirm the deletion')
  .option('--json', 'print the result as JSON')
  .action(async (of: `0x${string}`, options: { json?: boolean }) => {
    const { runAccountDelete } = await import('./commands/account.ts');
    await runAccountDelete(readEnv(), of, options);
  });

const ALLOW_UNENCRYPTED =
  'accept a backup that is not encrypted, although variables say that backups are';

const backup = program
  .command('backup')
  .description(
    'Back up what the chain does not have: profiles, products, files; and the ledger’s root',
  )
  .option('--to <target>', 'folder, or s3://bucket/prefix')
  .option('--with-ledger', 'also the ledger, so that a restore need not build it from the chain')
  .option('--keep <count>', 'then remove older backups except this many of the newest', wholeNumber)
  .option('--keep-days <days>', 'and except those of the last days', wholeNumber)
  .option('--json', 'print the result as JSON')
  .action(async ({ to, ...options }: Partial<BackupCommandOptions>) => {
    if (to === undefined) return backup.error("error: option '--to <target>' is missing");
    const { runBackup } = await import('./commands/backup.ts');
    await runBackup(readEnv(), { to, ...options });
  });

backup
  .command('list')
  .description('List the complete backups of a target')
  .argument('<target>', 'folder, or s3://bucket/prefix')
  .action(async (target: string) => {
    const { runBackupList } = await import('./commands/backup.ts');
    await runBackupList(readEnv(), target, backup.opts<{ json?: boolean }>());
  });

backup
  .command('verify')
  .description('Read a backup again, and compare every hash')
  .argument('<backup>', '<target>/backups/<name>, or <target> for its newest backup')
  .option('--allow-unencrypted', ALLOW_UNENCRYPTED)
  .action(async (reference: string, options: { allowUnencrypted?: boolean }) => {
    const { runBackupVerify } = await import('./commands/backup.ts');
    const { json } = backup.opts<{ json?: boolean }>();
    await runBackupVerify(readEnv(), reference, { ...options, ...(json && { json }) });
  });

interface RestoreArguments {
  readonly from?: string;
  readonly resend?: boolean;
  readonly allowUnencrypted?: boolean;
  readonly json?: boolean;
}

const restore = program
  .command('restore')
  .description('Restore a backup into an empty database and the storage')
  .option('--from <backup>', '<target>/backups/<name>, or <target> for its newest backup')
  .option('--resend', 'send webhooks and mails that may have been sent after the backup')
  .option('--allow-unencrypted', ALLOW_UNENCRYPTED)
  .option('--json', 'print the result as JSON')
  .action(async ({ from, ...options }: RestoreArguments) => {
    if (from === undefined) return restore.error("error: option '--from <backup>' is missing");
    const { runRestore } = await import('./commands/restore.ts');
    await runRestore(readEnv(), { from, ...options });
  });

restore
  .command('verify')
  .description('Compare the ledger with the root of the backup that was restored')
  .option('--wait <seconds>', 'wait until the ledger is settled up to that block', wholeNumber)
  .action(async ({ wait }: { wait?: number }) => {
    const { runRestoreVerify } = await import('./commands/restore.ts');
    const { json } = restore.opts<{ json?: boolean }>();
    await runRestoreVerify(readEnv(), { ...(wait && { wait }), ...(json && { json }) });
  });

restore
  .command('after-recovery')
  .description(
    'Prepare a database that PostgreSQL’s own tools brought back, before the service starts',
  )
  .action(async () => {
    const { runAfterRecovery } = await import('./commands/restore.ts');
    await runAfterRecovery(readEnv(), restore.opts<{ resend?: boolean; json?: boolean }>());
  });

for (const command of program.commands) {
  command.addHelpText('after', () => variablesHelp(command.name() as Program));
}

suggestCommands(program);

program.command('bundle-thread', { hidden: true }).action(async () => {
  const { runBundleThread } = await import('./bundle-thread.ts');
  runBundleThread();
});

/**
 * Runs one command line, without the program's name. Sets `process.exitCode` if it fails (docs/operate/run.md#exit-codes);
 * the commands read the variables of `process.env`.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  // A wait that keeps no process running, as for the end of another one, must not end this one.
  const running = setInterval(() => {}, 2 ** 30);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = explain(error);
  } finally {
    clearInterval(running);
  }
}

/** The API that a command asks. */
function apiUrl(): Option {
  return new Option(
    '--url <url>',
    'base address of the API (default: the deployment that runs here)',
  ).argParser(httpUrl);
}

/** Prints an error as a sentence without a stack trace, and returns the exit code. */
function explain(error: unknown): number {
  // Commander has already printed its message, and `--help` is not an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof ConfigError) {
    for (const sentence of error.sentences) out.failure(sentence);
    return exitCodes.failed;
  }
  if (error instanceof CommandError) {
    for (const sentence of error.sentences) out.failure(sentence);
    return error.exitCode;
  }
  out.failure(error instanceof Error ? error.message : String(error));
  return exitCodes.failed;
}
