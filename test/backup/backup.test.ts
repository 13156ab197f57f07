import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBackup } from '../../engine/backup/create.ts';
import type { Manifest } from '../../engine/backup/manifest.ts';
import { FolderStore } from '../../engine/backup/store.ts';
import { openKeccak } from '../../engine/chain/keccak.ts';
import { createDatabase, embeddedDatabaseName } from '../../engine/cli/stack/database.ts';
import { startPostgres } from '../../engine/cli/stack/postgres.ts';
import { cliCommand, projectRoot } from '../../engine/cli/stack/processes.ts';
import { openFolder } from '../../engine/cli/storage.ts';
import { methods } from '../../engine/contract/registry.ts';
import { backupTables } from '../../engine/db/backup/tables.ts';
import { refreshRanking } from '../../engine/db/commerce/refresh-ranking.ts';
import { openPool, type Pool, withSession } from '../../engine/db/connection.ts';
import { knownMigrations, migrate } from '../../engine/db/migrate.ts';
import { lastBackupAt } from '../../engine/db/read/system/backups.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { createApp } from '../../engine/http/app.ts';
import { version } from '../../engine/version.ts';
import { allEnabled } from '../http/support/optional-example-inputs.ts';
import { exampleInputs } from '../http/support/record-example.ts';
import { requestOf } from '../http/support/requests.ts';
import { addressOf, NOW, SampleApi } from '../http/support/sample-api.ts';
import { signedIn } from '../http/support/session.ts';
import { startBucket } from '../support/bucket.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { account } from '../support/history.ts';
import { type CliResult, runCli, runHere, thisInstallation } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

/** A test takes 30 s on two free cores, and several minutes next to others. */
const LONGEST_MS = 300_000;

/** Text with everything that the format of COPY escapes. */
const AWKWARD = 'a\tb\nc\\d\\.\r"e\' \\N ü 🦊';

/** Runs a command: in this process, or in one of its own where how it starts and ends matters. */
type Run = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<CliResult>;

describe('tributary backup and restore', () => {
  let sample: SampleApi;
  let dataDir: string;
  let folder: string;
  let target: string;
  const databases: TestDatabase[] = [];
  const pools: Pool[] = [];
  const roles: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-backup-test-'));
    await chmod(folder, 0o755);
    dataDir = join(folder, 'data');
    target = join(folder, 'backups');
    sample = await SampleApi.open({ files: openFolder(dataDir) });
    await addRows(sample.fixture.pool);
  }, LONGEST_MS);
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    for (const database of databases) await database.drop();
    for (const role of roles) await sample.fixture.pool`drop role ${sample.fixture.pool(role)}`;
    await sample?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Variables of the source, or of another database of the same chain. */
  function variables(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { deployment } = sample.fixture.deps;
    return {
      DATABASE_URL: sample.fixture.databaseUrl,
      DATA_DIR: dataDir,
      CHAIN_ID: String(deployment.chainId),
      CONTRACT_ADDRESS: deployment.contractAddress,
      START_BLOCK: String(deployment.startBlock),
      RPC_URL: sample.rpcUrl,
      ...changes,
    };
  }

  async function backup(args: readonly string[] = [], env = variables(), run: Run = runHere) {
    const result = await run(['backup', '--to', target, '--json', ...args], env);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(result.stdout);
  }

  /** An empty database and data folder, and the variables of a restore into them. */
  async function emptyPlace(name: string) {
    const database = await createTestDatabase({ empty: true });
    databases.push(database);
    const pool = openPool(database.url, { max: 3 });
    pools.push(pool);
    const dir = join(folder, name);
    return { pool, dir, env: variables({ DATABASE_URL: database.url, DATA_DIR: dir }) };
  }

  it(
    'restores every row and file into an empty database, so that the API answers the same',
    async () => {
      const readers = await allReaders(sample);
      const report = await backup(['--with-ledger'], variables(), runCli);
      expect(report).toMatchObject({ withLedger: true, lost: [], removed: [], version });
      expect(report.files.count).toBeGreaterThan(3);
      expect(report.stored.files).toBeGreaterThan(0);
      expect(await lastBackupAt(sample.fixture.pool)).not.toBeNull();

      const { pool, dir, env } = await emptyPlace('restored');
      const restored = await runCli(['restore', '--from', target, '--resend', '--json'], env);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(restored.stdout)).toMatchObject({
        cancelled: 0,
        rows: report.rows,
        files: report.files.count,
        comparison: { result: 'equal', expected: report.roots[0] },
      });
      for (const table of backupTables(false)) {
        if (table === 'commerce.webhook_cursor') continue;
        expect([table, await rowsOf(pool, table)]).toEqual([
          table,
          await rowsOf(sample.fixture.pool, table),
        ]);
      }
      // Numbers go on where they were: a new row does not collide.
      await pool`insert into commerce.secret (value) values (${Buffer.alloc(32, 5)})`;

      await refreshRanking(pool);
      await refreshRanking(sample.fixture.pool);
      const files = openFolder(dir);
      const answers = await readers({ pool, files });
      const expected = await readers({});
      expect(answers.size).toBeGreaterThan(60);
      const changed = [...expected.keys()].filter(
        (name) => JSON.stringify(answers.get(name)) !== JSON.stringify(expected.get(name)),
      );
      // A nonce is random; the restored database has no indexer yet, and no backup of its own.
      expect(changed).toEqual(['auth.nonce', 'system.status']);

      const again = await runHere(['restore', '--from', target], env);
      expect(again.code).toBe(1);
      expect(again.stderr).toMatch(/^This database was restored from .* already: .*\n$/);
      const verified = await runHere(['restore', 'verify'], env);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
      expect(verified.stdout).toContain(report.roots[0].root);
      await pool`update ledger.journal set digest = ${`0x${'5'.repeat(64)}`} where campaign_id = 1`;
      const different = await runHere(['restore', 'verify'], env);
      expect(different.code).toBe(1);
      expect(different.stdout).toContain('THE LEDGER DIFFERS');
    },
    LONGEST_MS,
  );

  it(
    'leaves the ledger to be built from the chain, and does not send again what may have been sent',
    async () => {
      const { pool, env } = await emptyPlace('quiet');
      await backup();
      // As the owner of the database, who has no other rights.
      const url = new URL(env.DATABASE_URL ?? '');
      const role = `owner_${url.pathname.slice(1)}`;
      await pool`create role ${pool(role)} login password 'owner'`;
      await pool`alter database ${pool(url.pathname.slice(1))} owner to ${pool(role)}`;
      url.username = role;
      url.password = 'owner';
      env.DATABASE_URL = url.href;
      roles.push(role);
      const restored = await runHere(['restore', '--from', target, '--json'], env);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(restored.stdout).cancelled).toBeGreaterThanOrEqual(4);
      const open = await pool`
      select id from commerce.webhook_delivery where status in ('queued', 'sending')
      union all select id from commerce.mail where status in ('queued', 'sending')
      union all select id from commerce.service_event`;
      expect(open).toEqual([]);
      const head = Number(await sample.fixture.deps.client.getBlockNumber());
      const [endpoint] = await pool`select after_block from commerce.webhook_endpoint limit 1`;
      expect(Number(endpoint?.after_block)).toBe(head);
      expect(await pool`select 1 from ledger.deployment`).toEqual([]);
      const waiting = await runHere(['restore', 'verify', '--wait', '1'], env);
      expect(waiting.code).toBe(3);
      expect(waiting.stdout).toContain('The ledger is settled up to block –');
    },
    LONGEST_MS,
  );

  it(
    'stores a file once, and removes old backups with the files that only they have',
    async () => {
      const own = join(folder, 'retained');
      const make = async (args: readonly string[]) =>
        await runHere(['backup', '--to', own, '--json', ...args], variables());
      const first = JSON.parse((await make([])).stdout);
      const second = JSON.parse((await make([])).stdout);
      expect([first.stored.files > 0, second.stored.files]).toEqual([true, 0]);
      const { pool, deps } = sample.fixture;
      const [asset] = await pool`
      select id, key, sha256, size from commerce.asset where kind = 'download' limit 1`;
      const contents = async () =>
        (await readdir(join(own, 'files'), { recursive: true })).join('\n');
      expect(await contents()).toContain(asset?.sha256);
      const bytes = Buffer.from(await deps.files.getBytes(asset?.key));
      const changed = Buffer.concat([bytes, Buffer.from('!')]);
      await deps.files.put('media/changed', changed);
      try {
        await pool`
        update commerce.asset set key = 'media/changed', size = ${changed.length},
          sha256 = encode(sha256(${changed}), 'hex') where id = ${asset?.id}`;
        const third = JSON.parse((await make(['--keep', '2'])).stdout);
        expect(third).toMatchObject({ removed: [first.name], stored: { files: 1 } });
        expect(await contents()).toContain(asset?.sha256);
        const fourth = JSON.parse((await make(['--keep', '1'])).stdout);
        expect(fourth.removed).toEqual([second.name, third.name]);
        // However fast they were made, their names order them.
        const names: string[] = [first, second, third, fourth].map(({ name }) => name);
        expect(new Set(names.map((name) => name.split('-')[0])).size).toBe(4);
        expect(await contents()).not.toContain(asset?.sha256);
        const recent = await make(['--keep-days', '1']);
        expect(JSON.parse(recent.stdout).removed).toEqual([]);
        const listed = await runHere(['backup', 'list', own, '--json'], variables());
        expect(JSON.parse(listed.stdout)).toHaveLength(2);
        const verified = await runHere(['backup', 'verify', own], variables());
        expect(verified).toMatchObject({ code: 0, stderr: '' });
      } finally {
        await pool`
        update commerce.asset set key = ${asset?.key}, size = ${asset?.size},
          sha256 = ${asset?.sha256} where id = ${asset?.id}`;
        await deps.files.delete('media/changed');
      }
    },
    LONGEST_MS,
  );

  it(
    'finds every kind of damage, and then changes nothing',
    async () => {
      const whole = join(folder, 'whole');
      await runHere(['backup', '--to', whole], variables());
      const [name = ''] = await readdir(join(whole, 'backups'));
      const { pool, env } = await emptyPlace('damaged');
      const damaged = join(folder, 'damaged-backup');
      const inBackup = (path: string) => join(damaged, 'backups', name, path);
      const [content = ''] = (await readdir(join(whole, 'files'), { recursive: true })).filter(
        (path) => path.includes('/'),
      );
      const cases: readonly [string, () => Promise<void>, RegExp][] = [
        ['a row', () => flip(inBackup('tables/commerce.product.0.gz')), /product.0.gz is damaged/],
        ['a cut', () => cut(inBackup('tables/commerce.product.0.gz')), /bytes instead of/],
        ['a table', () => rm(inBackup('tables/commerce.session.0.gz')), /session.0.gz is missing/],
        ['the list', () => flip(inBackup('files.0.gz')), /files.0.gz is damaged/],
        ['a file', () => flip(join(damaged, 'files', content)), /files\/.* is damaged/],
        ['no file', () => rm(join(damaged, 'files', content)), /files\/.* is missing/],
        ['no manifest', () => rm(inBackup('manifest.json')), /has no complete backup/],
        ['manifest', () => cut(inBackup('manifest.json')), /manifest.json cannot be read/],
        ['other', () => edit(inBackup('manifest.json'), { name: 'x' }), /not the description/],
        ['format', () => edit(inBackup('manifest.json'), { format: 3 }), /made by a newer version/],
      ];
      for (const [what, damage, message] of cases) {
        await rm(damaged, { recursive: true, force: true });
        await cp(whole, damaged, { recursive: true });
        await damage();
        const verified = await runHere(
          ['backup', 'verify', `${damaged}/backups/${name}`],
          variables(),
        );
        expect([what, verified.code, verified.stderr]).toEqual([
          what,
          1,
          expect.stringMatching(message),
        ]);
        const restored = await runHere(['restore', '--from', damaged], env);
        expect([what, restored.code, restored.stderr.split('\n').length]).toEqual([what, 1, 2]);
      }
      const schemas =
        await pool`select 1 from pg_namespace where nspname in ('commerce', 'ledger')`;
      expect(schemas).toEqual([]);
      // A number of rows that does not fit the rows, with a hash that does.
      await rm(damaged, { recursive: true, force: true });
      await cp(whole, damaged, { recursive: true });
      await edit(inBackup('manifest.json'), {}, (manifest) => {
        const [table] = manifest.tables;
        if (table !== undefined) table.rows += 1;
      });
      const counted = await runHere(['backup', 'verify', damaged], variables());
      expect([counted.code, counted.stderr]).toEqual([1, expect.stringMatching(/rows instead of/)]);
    },
    LONGEST_MS,
  );

  it(
    'ends with the error of the database if rows do not fit it, and leaves it empty',
    async () => {
      const made = join(folder, 'impossible');
      await runHere(['backup', '--to', made], variables());
      const [name = ''] = await readdir(join(made, 'backups'));
      const path = join(made, 'backups', name, 'tables', 'commerce.product.0.gz');
      const lines = gunzipSync(await readFile(path));
      const twice = gzipSync(Buffer.concat([lines, lines]));
      await writeFile(path, twice);
      await edit(join(made, 'backups', name, 'manifest.json'), {}, ({ tables }) => {
        const table = tables.find((one) => one.name === 'commerce.product');
        const [part] = table?.parts ?? [];
        if (table === undefined || part === undefined) throw new Error('no products');
        table.rows *= 2;
        part.size = twice.length;
        part.sha256 = createHash('sha256').update(twice).digest('hex');
      });
      const { pool, env } = await emptyPlace('impossible-place');
      const restored = await runHere(['restore', '--from', made], env);
      expect([restored.code, restored.stderr]).toEqual([
        1,
        expect.stringContaining('product_pkey'),
      ]);
      expect(await rowsOf(pool, 'commerce.merchant')).toEqual([]);
    },
    LONGEST_MS,
  );

  it(
    'ends with the error of a target that is full, and leaves no backup',
    async () => {
      const made = join(folder, 'full');
      class FullStore extends FolderStore {
        override async put(key: string, path: string): Promise<void> {
          if (key.includes('ledger.journal')) throw new Error('no space left');
          await super.put(key, path);
        }
      }
      const full = createBackup({
        pool: sample.fixture.pool,
        files: sample.fixture.deps.files,
        store: new FullStore(made),
        keccak256: await openKeccak(),
        ...{ version: '0.0.9', withLedger: true, keep: undefined, onProgress: () => {} },
        encryption: undefined,
      });
      await expect(full).rejects.toThrow('no space left');
      const listed = await runHere(['backup', 'list', made, '--json'], variables());
      expect(JSON.parse(listed.stdout)).toEqual([]);
      // As a backup leaves it that was killed.
      await mkdir(join(made, '.tmp-killed'));
      const next = await runHere(['backup', '--to', made, '--with-ledger'], variables());
      expect(next).toMatchObject({ code: 0, stderr: '' });
      expect(await readdir(join(made, 'backups'))).toHaveLength(1);
      expect((await readdir(made)).sort()).toEqual(['backups', 'files']);
    },
    LONGEST_MS,
  );

  it(
    'refuses a database with rows, another chain, another contract and an unknown migration',
    async () => {
      await backup();
      const full = await runHere(['restore', '--from', target], variables());
      expect(full.code).toBe(1);
      expect(full.stderr).toMatch(
        /^This database is not empty \(.* has rows\): restore into a new one.*\n$/,
      );

      const { env } = await emptyPlace('refusing');
      const contract = await runHere(['restore', '--from', target], {
        ...env,
        CONTRACT_ADDRESS: account(5),
      });
      expect([contract.code, contract.stderr]).toEqual([1, expect.stringContaining(account(5))]);
      let chain: TestChain | undefined;
      try {
        chain = await startTestChain();
        const other = { ...env, RPC_URL: chain.anvil.url };
        const genesis = await runHere(['restore', '--from', target], other);
        expect([genesis.code, genesis.stderr]).toEqual([1, expect.stringContaining('genesisHash')]);
      } finally {
        await chain?.stop();
      }
      const away = await runHere(['restore', '--from', target], {
        ...env,
        RPC_URL: 'http://127.0.0.1:1',
      });
      expect([away.code, away.stderr]).toEqual([
        3,
        expect.stringContaining('it does not respond: is the address right?'),
      ]);

      const newer = join(folder, 'newer');
      await cp(target, newer, { recursive: true });
      for (const name of await readdir(join(newer, 'backups'))) {
        await edit(join(newer, 'backups', name, 'manifest.json'), {}, (manifest) => {
          manifest.migrations.push('9999_future.sql');
        });
      }
      const unknown = await runHere(['restore', '--from', newer], env);
      expect(unknown.code).toBe(1);
      expect(unknown.stderr).toMatch(
        /has migrations that this version does not know \(9999_future.sql\)/,
      );
    },
    LONGEST_MS,
  );

  it(
    'loads a backup of an older version, and then applies the newer migrations',
    async () => {
      const older = (await knownMigrations()).filter(
        (name) => name < '0045' || (name > '0051' && name < '0058'),
      );
      const { pool: source, dir } = await emptyPlace('older');
      await migrate(source, { only: older });
      const { deployment } = sample.fixture.deps;
      await source`
      insert into ledger.deployment (chain_id, genesis_hash, contract_address)
      values (${deployment.chainId}, ${deployment.genesisHash}, ${deployment.contractAddress})`;
      await source`
      insert into commerce.merchant (id, address, slug, name)
      values ('m-old', ${account(7)}, 'old-shop', ${AWKWARD})`;
      // Tables that have another name now.
      await source`insert into ledger.told (campaign_id, seq) values (1, 2)`;
      await source`insert into ledger.taken_back (campaign_id, after_seq) values (1, 1)`;
      // As the older version made it: with the tables and migrations that it had.
      const made = join(folder, 'made-by-older');
      await createBackup({
        pool: source,
        files: openFolder(dir),
        store: new FolderStore(made),
        keccak256: await openKeccak(),
        ...{ version: '0.0.9', withLedger: true, keep: undefined, onProgress: () => {} },
        encryption: undefined,
      });
      const { pool, env } = await emptyPlace('from-older');
      const restored = await runHere(['restore', '--from', made], env);
      // It has no settled block, so there is no root to compare.
      expect(restored).toMatchObject({ code: 1, stderr: '' });
      expect(restored.stdout).toMatch(
        /^restored .*\nrows +5\n.*\nNot compared: nothing was settled/s,
      );
      expect(await pool`select id, name from commerce.merchant`).toEqual([
        { id: 'm-old', name: AWKWARD },
      ]);
      expect(await pool`select campaign_id, seq from ledger.published_seq`).toEqual([
        { campaign_id: '1', seq: '2' },
      ]);
      await pool`insert into ledger.stale_publication (campaign_id, after_seq) values (1, 0)`;
      expect(await pool`select id, after_seq from ledger.stale_publication order by id`).toEqual([
        { id: '1', after_seq: '1' },
        { id: '2', after_seq: '0' },
      ]);
      const applied = await pool`select name from public.tributary_migration order by name`;
      expect(applied.map(({ name }) => name)).toEqual(await knownMigrations());
    },
    LONGEST_MS,
  );

  it(
    'refuses to back up a database of an older or newer version, and does not change it',
    async () => {
      const { pool, env } = await emptyPlace('not-migrated');
      const made = join(folder, 'not-migrated-backups');
      const attempt = async () => {
        const { code, stdout, stderr } = await runHere(['backup', '--to', made], env);
        return { code, stdout, stderr };
      };
      const refusal = (names: readonly string[]) => ({
        code: 1,
        stdout: '',
        stderr: `This database is of an older version (it lacks ${names.join(', ')}): back it up with that version, or run \`tributary migrate\` first.\n`,
      });
      const applied = async () => {
        const rows = await pool`select name from public.tributary_migration order by name`;
        return rows.map(({ name }) => name);
      };
      const all = await knownMigrations();
      expect(await attempt()).toEqual(refusal(all));
      const schemas = await pool`
        select nspname from pg_namespace where nspname in ('commerce', 'ledger')
        union all select relname from pg_class where relname = 'tributary_migration'`;
      expect(schemas).toEqual([]);

      const older = all.slice(0, -2);
      await migrate(pool, { only: older });
      const { deployment } = sample.fixture.deps;
      await pool`
        insert into ledger.deployment (chain_id, genesis_hash, contract_address)
        values (${deployment.chainId}, ${deployment.genesisHash}, ${deployment.contractAddress})`;
      expect(await attempt()).toEqual(refusal(all.slice(-2)));
      expect(await applied()).toEqual(older);

      await migrate(pool);
      expect(await attempt()).toMatchObject({ code: 0, stderr: '' });
      await pool`insert into public.tributary_migration (name) values ('9999_future.sql')`;
      expect(await attempt()).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^This database has migrations that .*\(9999_future.sql\).*\n$/,
        ),
      });
      expect(await readdir(join(made, 'backups'))).toHaveLength(1);
    },
    LONGEST_MS,
  );

  it(
    'restores into the embedded database of a start to come',
    async () => {
      await backup();
      const dir = join(folder, 'embedded');
      const { DATABASE_URL: _, ...env } = variables({ DATA_DIR: dir });
      const restored = await runHere(['restore', '--from', target, '--json'], env);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      const server = await startPostgres({ dataDir: dir });
      try {
        const { deployment } = sample.fixture.deps;
        const url = await createDatabase(server.url, embeddedDatabaseName(deployment));
        const pool = openPool(url, { max: 1 });
        const rows = await rowsOf(pool, 'commerce.product');
        await pool.end();
        expect(rows).toEqual(await rowsOf(sample.fixture.pool, 'commerce.product'));
      } finally {
        await server.stop();
      }
    },
    LONGEST_MS,
  );

  it(
    'finishes after a restore that was killed at any moment',
    async () => {
      await backup();
      const { pool, env } = await emptyPlace('killed');
      for (const moment of [
        'public.tributary_migration',
        'commerce.webhook_cursor',
        'public.tributary_restore',
      ]) {
        const { command, args } = cliCommand(['restore', '--from', target, '--json']);
        const child = spawn(command, args, {
          cwd: projectRoot,
          env: { ...inheritedEnv(), ...env },
        });
        const ended = once(child, 'close');
        await waitFor(
          async () => (await pool`select to_regclass(${moment}) as name`)[0]?.name !== null,
          { what: moment, interval: 1, timeout: 60_000 },
        );
        child.kill('SIGKILL');
        await ended;
      }
      await runHere(['restore', '--from', target, '--json'], env);
      const again = await runHere(['restore', '--from', target], env);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')]);
      const rows = await rowsOf(pool, 'commerce.product');
      expect(rows).toEqual(await rowsOf(sample.fixture.pool, 'commerce.product'));
      expect(rows.length).toBeGreaterThan(3);
    },
    LONGEST_MS,
  );

  it(
    'backs up one moment while rows are written and files deleted',
    async () => {
      const { pool, deps } = sample.fixture;
      let writing = true;
      let written = 0;
      const writer = (async () => {
        while (writing) {
          written += 1;
          const id = `under-writes-${written}`;
          const bytes = Buffer.from(id);
          await deps.files.put(`media/${id}`, bytes);
          await pool.begin(async (sql) => {
            await sql`
            insert into commerce.merchant (id, address, slug, name)
            values (${id}, ${account(9_000 + written)}, ${id}, 'Writer')`;
            await sql`
            insert into commerce.asset (id, merchant_id, kind, key, size, sha256, content_type, extension, width, height)
            values (${id}, ${id}, 'image', ${`media/${id}`}, ${bytes.length}, encode(sha256(${bytes}), 'hex'), 'image/png', 'png', 1, 1)`;
          });
          if (written % 2 === 0) {
            await pool`delete from commerce.asset where id = ${id}`;
            await deps.files.delete(`media/${id}`);
          }
        }
      })();
      try {
        const report = await backup();
        expect(report.lost).toEqual([]);
        const { pool: restored, env } = await emptyPlace('under-writes');
        const result = await runHere(['restore', '--from', target, '--json'], env);
        expect(result).toMatchObject({ code: 0, stderr: '' });
        const [row] = await restored`
        select count(*) filter (where asset.id is null)::int as without, count(*)::int as merchants
        from commerce.merchant left join commerce.asset on asset.merchant_id = merchant.id
        where merchant.id like 'under-writes-%'`;
        expect(row?.merchants).toBeLessThan(written);
        const disk = openFolder(env.DATA_DIR ?? '');
        const assets = await restored`select key, size from commerce.asset`;
        for (const { key, size } of assets) {
          expect((await disk.getBytes(key)).length).toBe(Number(size));
        }
      } finally {
        writing = false;
        await writer;
        await pool`delete from commerce.asset where id like 'under-writes-%'`;
        await pool`delete from commerce.merchant where id like 'under-writes-%'`;
      }
    },
    LONGEST_MS,
  );

  it(
    'names a file that was lost before, exits with 1, and backs up all else',
    async () => {
      const { pool, deps } = sample.fixture;
      const [asset] = await pool`select key, sha256 from commerce.asset order by key limit 1`;
      const bytes = await deps.files.getBytes(asset?.key);
      const own = join(folder, 'lossy');
      await deps.files.delete(asset?.key);
      try {
        const result = await runHere(['backup', '--to', own, '--json'], variables());
        expect(result.code).toBe(1);
        expect(JSON.parse(result.stdout)).toMatchObject({
          lost: [`${asset?.key} (missing)`],
          files: { missing: 1 },
        });
        const verified = await runHere(['backup', 'verify', own], variables());
        expect(verified.code).toBe(0);
      } finally {
        await deps.files.put(asset?.key, bytes);
      }
    },
    LONGEST_MS,
  );

  it(
    'refuses a second backup at the same time, and a target of another deployment',
    async () => {
      const { pool } = sample.fixture;
      const second = await withSession(pool, async (session) => {
        await session`select pg_advisory_lock(7211021)`;
        return await runHere(['backup', '--to', target], variables());
      });
      expect([second.code, second.stderr]).toEqual([
        1,
        'Another backup of this database is running.\n',
      ]);
      await backup();
      const mixed = join(folder, 'mixed');
      await cp(target, mixed, { recursive: true });
      for (const name of await readdir(join(mixed, 'backups'))) {
        await edit(join(mixed, 'backups', name, 'manifest.json'), {}, ({ deployment }) => {
          deployment.contractAddress = account(6);
        });
      }
      const refused = await runHere(['backup', '--to', mixed], variables());
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('use another target for each deployment'),
      ]);
    },
    LONGEST_MS,
  );

  it(
    'makes, lists, verifies, restores and removes backups in a bucket',
    async () => {
      const bucket = await startBucket();
      const keys = {
        BACKUP_S3_ENDPOINT: bucket.endpoint,
        BACKUP_S3_ACCESS_KEY_ID: 'the-key',
        BACKUP_S3_SECRET_ACCESS_KEY: 'the-secret',
      };
      try {
        const to = 's3://shop/of/backups';
        const without = await runHere(['backup', '--to', to], variables());
        expect([without.code, without.stderr]).toEqual([
          1,
          expect.stringContaining('Set BACKUP_S3_ACCESS_KEY_ID'),
        ]);
        const make = () =>
          runHere(['backup', '--to', to, '--keep', '1', '--json'], variables(keys));
        const first = await make();
        // On an old Node, the client of the storage prints a warning.
        expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('rror')]);
        const second = await make();
        expect(second.code).toBe(0);
        const { name } = JSON.parse(second.stdout);
        expect(JSON.parse(second.stdout)).toMatchObject({
          removed: [JSON.parse(first.stdout).name],
          stored: { files: 0 },
        });
        const listed = await runHere(['backup', 'list', to], variables(keys));
        expect(listed.stdout).toContain(name);
        expect(listed.stdout).not.toContain(JSON.parse(first.stdout).name);
        const { pool, dir, env } = await emptyPlace('from-bucket');
        const from = `${to}/backups/${name}`;
        const restored = await runHere(['restore', '--from', from, '--json'], { ...env, ...keys });
        expect(restored.code).toBe(0);
        expect(await rowsOf(pool, 'commerce.asset')).toEqual(
          await rowsOf(sample.fixture.pool, 'commerce.asset'),
        );
        const [asset] = await pool`select key, size from commerce.asset limit 1`;
        const stored = await stat(join(dir, 'files', asset?.key));
        expect(stored.size).toBe(Number(asset?.size));
        const content = [...bucket.objects.keys()].find((key) => key.includes('/files/')) ?? '';
        bucket.objects.delete(content);
        const verified = await runHere(['backup', 'verify', from], variables(keys));
        expect([verified.code, verified.stderr]).toEqual([
          1,
          expect.stringContaining('is missing'),
        ]);
      } finally {
        bucket.server.closeAllConnections();
        bucket.server.close();
      }
    },
    LONGEST_MS,
  );

  it(
    'writes files that only their account can read, and ends with a sentence without permission',
    async () => {
      const [name = ''] = await readdir(join(target, 'backups'));
      const modes = await Promise.all(
        [target, join(target, 'backups', name), join(target, 'backups', name, 'manifest.json')].map(
          async (path) => (await stat(path)).mode & 0o777,
        ),
      );
      expect(modes).toEqual([0o700, 0o700, 0o600]);
      if (process.getuid?.() !== 0) return;
      // As an account that may neither read the uploads nor write to the target.
      const open = join(folder, 'of-other-user');
      await mkdir(open, { mode: 0o777 });
      await chmod(open, 0o777);
      await chmod(dataDir, 0o700);
      const asOtherUser = (to: string) =>
        runCli(['backup', '--to', to, '--json'], variables(), { ...thisInstallation, uid: 65_534 });
      const unreadable = await asOtherUser(join(open, 'one'));
      expect([unreadable.code, unreadable.stderr]).toEqual([1, expect.stringContaining('EACCES')]);
      expect(unreadable.stderr).toContain(dataDir);
      expect(unreadable.stderr.split('\n')).toHaveLength(2);
      await chmod(dataDir, 0o755);
      const unwritable = await asOtherUser(target);
      expect([unwritable.code, unwritable.stderr]).toEqual([1, expect.stringContaining('EACCES')]);
      expect(unwritable.stderr).toContain(target);
    },
    LONGEST_MS,
  );
});

/** Changes a byte in the middle of a file. */
async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes.writeUInt8((bytes.readUInt8(at) + 1) % 256, at);
  await writeFile(path, bytes);
}

/** Removes the end of a file. */
async function cut(path: string): Promise<void> {
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length - 5));
}

/** Changes a manifest. */
async function edit(
  path: string,
  changes: object,
  change: (manifest: Manifest) => void = () => {},
): Promise<void> {
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  change(manifest);
  await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
}

/** Rows of a table as text, in an order of their own. */
async function rowsOf(pool: Pool, table: string): Promise<string[]> {
  const rows = await pool<{ row: string }[]>`
    select to_jsonb(one)::text as row from ${pool(table)} one order by row`;
  return rows.map(({ row }) => row);
}

/** Rows of what the sample does not have: webhooks, mails and awkward text. */
async function addRows(pool: Pool): Promise<void> {
  const at = new Date(NOW).toISOString();
  const owner = account(77);
  await pool`
    insert into commerce.merchant (id, address, slug, name, description)
    values ('m-awkward', ${owner}, 'awkward', 'Awkward', ${AWKWARD})`;
  await pool`
    insert into commerce.webhook_endpoint (id, owner, url, events, secret, after_block, created_at)
    values ('we-1', ${owner}, 'https://hooks.example/', ${['sale.*', AWKWARD]},
      ${Buffer.from([0, 255, 92, 10])}, 3, ${at})`;
  await pool`
    insert into commerce.webhook_event (id, type, retracts, body, at, stored_at)
    values ('evt-2', 'x', null, ${JSON.stringify({ text: AWKWARD })}::text::jsonb, ${at}, ${at})`;
  // A row that names a later one, and one that names an earlier one.
  await pool`
    with event as (
      insert into commerce.webhook_event (id, type, retracts, body, at, stored_at)
      select 'evt-3', 'x.retracted', number, '{}', ${at}, ${at} from commerce.webhook_event returning number, retracts
    )
    update commerce.webhook_event set retracted_by = event.number from event
    where webhook_event.number = event.retracts`;
  await pool`
    insert into commerce.webhook_delivery (id, endpoint_id, event_number, status, next_attempt_at, created_at)
    select 'd-' || number, 'we-1', number, 'queued', 'infinity', ${at} from commerce.webhook_event`;
  await pool`
    insert into commerce.mail_account (account, address, confirmed_at, kinds, unsubscribe_token, after_block)
    values (${owner}, 'a@b.example', ${at}, ${['refund_paid']}, ${'t'.repeat(43)}, 3)`;
  await pool`
    insert into commerce.mail (id, account, address, status, next_attempt_at, created_at)
    values ('mail_1', ${owner}, 'a@b.example', 'queued', ${at}, ${at})`;
  await pool`
    insert into commerce.mail_item (account, event_id, kind, amount, at, stored_at)
    values (${owner}, 'evt-9', 'refund_paid', ${`${2n ** 256n - 1n}`}, ${at}, ${at})`;
  await pool`insert into commerce.service_event (type, accounts, subject_id) values ('x', '{}', 'y')`;
}

/**
 * Prepares a request of every method that reads, with the sessions that it needs.
 * @returns a function that sends all to an API over the same or other storage, and returns the responses.
 */
async function allReaders(sample: SampleApi) {
  const { deps } = sample.fixture;
  const requests: { name: string; path: string; init: RequestInit; optional: boolean }[] = [];
  for (const method of methods) {
    const make = exampleInputs[method.name];
    if (method.method !== 'GET' || make === undefined) continue;
    // Some need what only another example makes, in the order of the page.
    const recording = await Promise.resolve()
      .then(() => make(sample))
      .catch(() => undefined);
    if (recording === undefined) continue;
    const { as, params = {}, query = {} } = recording;
    const session = as && (await signedIn(deps, addressOf(as)));
    const { path, init } = requestOf(
      method,
      { params, query, body: {} },
      {
        'x-request-id': 'req-1',
        ...session?.reading,
      },
    );
    requests.push({ name: method.name, path, init, optional: method.availability === 'optional' });
  }
  const now = deps.clock() + 1_000;
  return async (changes: Partial<typeof deps>): Promise<Map<string, unknown>> => {
    const answers = new Map<string, unknown>();
    const usual = createApp({ ...deps, clock: () => now, ...changes });
    const whole = createApp({ ...deps, ...allEnabled, clock: () => now, ...changes });
    for (const { name, path, init, optional } of requests) {
      const response = await (optional ? whole : usual).request(path, init);
      answers.set(name, [response.status, await response.text()]);
    }
    return answers;
  };
}
