import { execFileSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../engine/backup/manifest.ts';
import { FolderStore } from '../../engine/backup/store.ts';
import { verifyManifest } from '../../engine/backup/verify.ts';
import {
  BackupFixture,
  type EmptyPlace,
  openIn,
  SHOP,
  tableOf,
  UPLOAD,
  UPLOAD_KEY,
  unencrypted,
  WritableBackup,
} from './backup-fixture.ts';

/** Changes a backup as an attacker would who can write to its target. */
type Attack = (backup: WritableBackup) => Promise<void>;

const edit =
  (change: (manifest: Manifest) => unknown): Attack =>
  (backup) =>
    backup.edit(change);

/** Changes the first part of the table of merchants. */
const editPart = (change: object) =>
  edit((manifest) => Object.assign(tableOf(manifest).parts[0] ?? {}, change));

/** Replaces the rows of a table, and says so in the manifest. */
const rows =
  (bytes: Buffer, count: number): Attack =>
  async (backup) => {
    await backup.replace((manifest) => tableOf(manifest).parts[0], bytes);
    await backup.edit((manifest) => Object.assign(tableOf(manifest), { rows: count }));
  };

const listed = (change: object) => JSON.stringify({ ...LISTED, ...change });

/** Line of the list of files. */
const LISTED = { key: UPLOAD_KEY, size: UPLOAD.length, sha256: 'a'.repeat(64), missing: false };

const files =
  (lines: string, totals: object = {}): Attack =>
  async (backup) => {
    await backup.replaceFileList(lines);
    await backup.edit((manifest) => Object.assign(manifest.files, totals));
  };

const manifestText =
  (text: string): Attack =>
  (backup) =>
    writeFile(backup.path('manifest.json'), text);

const MERCHANTS = 'tables/commerce.merchant.0.gz';

/** Attacks that `backup verify` sees, and `restore` before it touches the database or the storage. */
const seenByVerify: readonly (readonly [string, Attack, RegExp])[] = [
  [
    'key outside',
    editPart({ key: '../../../etc/passwd' }),
    /tables\[\d+\].parts\[0\].key: must be/,
  ],
  ['absolute key', editPart({ key: '/etc/passwd' }), /parts\[0\].key: must be backups\//],
  ['key of a file', editPart({ key: 'files/aa/aa' }), /parts\[0\].key: must be backups\//],
  [
    'key of another table',
    edit((manifest) => {
      tableOf(manifest).parts = tableOf(manifest, 'commerce.asset').parts;
    }),
    /parts\[0\].key: must be .*commerce.merchant.0.gz/,
  ],
  [
    'a part twice',
    edit((manifest) => {
      const { parts } = tableOf(manifest);
      parts.push(...parts);
    }),
    /parts\[1\].key: must be .*commerce.merchant.1.gz/,
  ],
  [
    'no part',
    edit((manifest) => Object.assign(tableOf(manifest), { parts: [] })),
    /parts: Too small/,
  ],
  [
    'key of the list',
    edit((manifest) => Object.assign(manifest.files.parts[0] ?? {}, { key: 'files/../x' })),
    /files.parts\[0\].key: must be/,
  ],
  ['negative size', editPart({ size: -1 }), /parts\[0\].size: Too small/],
  ['fraction', editPart({ size: 1.5 }), /parts\[0\].size: Invalid input: expected int/],
  ['absurd size', editPart({ size: 2 ** 52 }), /parts\[0\].size: Too big/],
  ['size as text', editPart({ size: '1' }), /parts\[0\].size: Invalid input: expected number/],
  ['smaller size', editPart({ size: 1 }), /commerce.merchant.0.gz has more than 1 bytes/],
  ['larger size', editPart({ size: 1 << 20 }), /commerce.merchant.0.gz has \d+ bytes instead of/],
  ['no hash', editPart({ sha256: '' }), /parts\[0\].sha256: must be 64 hexadecimal digits/],
  ['other hash', editPart({ sha256: 'a'.repeat(64) }), /commerce.merchant.0.gz is damaged/],
  ['a field too many', editPart({ url: 'http://evil' }), /parts\[0\]: Unrecognized key/],
  ...[
    ...['public.tributary_migration', 'pg_catalog.pg_authid', 'commerce.backup'],
    ...['ledger.entry', 'commerce."merchant"; drop schema commerce; --', 'merchant'],
  ].map(
    (name) =>
      [
        `table ${name}`,
        edit((manifest) => Object.assign(tableOf(manifest), { name })),
        /tables\[\d+\].name: must be a table that a backup of this kind has/,
      ] as const,
  ),
  [
    'a table twice',
    edit(({ tables }) => tables.push(...tables.slice(0, 1))),
    /tables\[\d+\]: must not be there twice/,
  ],
  [
    'column with a quote',
    edit((manifest) => tableOf(manifest).columns.push('name") from stdin; --')),
    /columns\[\d+\]: must be the name of a column/,
  ],
  [
    'a column twice',
    edit((manifest) => tableOf(manifest).columns.push('name')),
    /columns\[\d+\]: must not be there twice/,
  ],
  [
    'negative rows',
    edit((manifest) => Object.assign(tableOf(manifest), { rows: -1 })),
    /rows: Too/,
  ],
  [
    'absurd rows',
    edit((manifest) => Object.assign(tableOf(manifest), { rows: 1e300 })),
    /rows: Invalid input: expected int|rows: Too big/,
  ],
  [
    'more rows than lines',
    edit((manifest) => Object.assign(tableOf(manifest), { rows: 2 })),
    /commerce.merchant has 1 row instead of 2/,
  ],
  [
    'another name',
    edit((manifest) => {
      const other = `${manifest.name.slice(0, -8)}00000000`;
      return JSON.parse(JSON.stringify(manifest).replaceAll(manifest.name, other));
    }),
    /manifest.json is not the description of a backup: name: must be \d{8}T/,
  ],
  ['path as name', edit((manifest) => ({ ...manifest, name: '../x' })), /name: must be a time and/],
  [
    'another time',
    edit((manifest) => ({ ...manifest, createdAt: '2999-01-01T00:00:00Z' })),
    /createdAt: must be the time in the name/,
  ],
  [
    'version that a terminal obeys',
    edit((manifest) => ({ ...manifest, version: '\u001b[2J1.0' })),
    /version: must be a version/,
  ],
  [
    'field that a terminal obeys',
    edit((manifest) => ({ ...manifest, '\u001b[2J': 1 })),
    /: it: Unrecognized key: "\?\[2J"/,
  ],
  [
    'chain 0',
    edit(({ deployment }) => Object.assign(deployment, { chainId: 0 })),
    /deployment.chainId: Too small/,
  ],
  [
    'contract',
    edit(({ deployment }) => Object.assign(deployment, { contractAddress: '0x1' })),
    /deployment.contractAddress: Invalid/,
  ],
  [
    'migration as a path',
    edit(({ migrations }) => migrations.push('../../evil.sql')),
    /migrations\[\d+\]: must be the name of a migration/,
  ],
  [
    'a migration twice',
    edit(({ migrations }) => migrations.push(migrations[0] ?? '')),
    /migrations\[\d+\]: must not be there twice/,
  ],
  [
    'three roots',
    edit((manifest) => {
      const hash = `0x${'1'.repeat(64)}` as const;
      const root = { block: { number: 1, hash }, root: hash, leftOut: [] };
      manifest.roots = [root, root, root];
    }),
    /roots: Too big/,
  ],
  [
    'sequence of another schema',
    edit(({ sequences }) => sequences.push({ name: 'public.x', value: '1', isCalled: true })),
    /sequences\[\d+\].name: must be a sequence/,
  ],
  [
    'sequence at its end',
    edit(({ sequences: [first] }) => Object.assign(first ?? {}, { value: String(2n ** 63n - 1n) })),
    /sequences\[0\].value: must be a whole number of at most 15 digits/,
  ],
  [
    'a sequence twice',
    edit(({ sequences }) => sequences.push(...sequences.slice(0, 1))),
    /sequences\[\d+\]: must not be there twice/,
  ],
  ['no JSON', manifestText('{'), /manifest.json cannot be read: it is damaged/],
  [
    'deep JSON',
    manifestText(`${'['.repeat(1e6)}${']'.repeat(1e6)}`),
    /description of a backup: it: /,
  ],
  ['null', manifestText('null'), /manifest.json is not the description of a backup: it: Invalid/],
  [
    'endless manifest',
    (backup) => truncate(backup.path('manifest.json'), 2 ** 36),
    /more than 16777216 bytes/,
  ],
  ['version to come', edit((manifest) => ({ ...manifest, format: 3 })), /made by a newer version/],
  [
    'encrypted in clear',
    edit((manifest) => ({ ...manifest, format: 2 })),
    /is not the description/,
  ],
  ['lost part', (backup) => rm(backup.path(MERCHANTS)), /commerce.merchant.0.gz is missing/],
  [
    'a pipe as part',
    async (backup) => {
      await rm(backup.path(MERCHANTS));
      execFileSync('mkfifo', [backup.path(MERCHANTS)]);
    },
    /commerce.merchant.0.gz is not a file/,
  ],
  [
    'endless part',
    (backup) => truncate(backup.path(MERCHANTS), 2 ** 36),
    /has more than \d+ bytes/,
  ],
  ['no gzip', rows(Buffer.from('no gzip'), 1), /commerce.merchant.0.gz is not gzip/],
  ['half a gzip', rows(gzipSync('a\n'.repeat(9)).subarray(0, 15), 9), /merchant.0.gz is not gzip/],
  ['more lines than rows', rows(gzipSync('a\n'.repeat(9)), 8), /have more than 8 lines/],
  ['line without end', rows(gzipSync('a\nb'), 1), /the last line has no end/],
  [
    'endless line',
    rows(gzipSync(Buffer.alloc(65 << 20)), 1),
    /has a line of more than 67108864 bytes/,
  ],
  [
    'decompression bomb',
    rows(gzipSync(`${'a'.repeat((1 << 20) - 1)}\n`.repeat(100)), 100),
    /are more than 200 times as large when they are decompressed/,
  ],
  ['bomb without lines', rows(gzipSync(Buffer.alloc(1 << 20, 10)), 1), /have more than 1 lines/],
];

/** Attacks on the list of files, which is read after all tables. */
const seenInFiles: readonly (readonly [string, Attack, RegExp])[] = [
  ['fewer files', files(''), /count is 0, and the manifest says 1/],
  ['more files', files(`${listed({})}\n`.repeat(2)), /have more than 1 lines/],
  [
    'a file twice',
    files(`${listed({ missing: true })}\n`.repeat(2), { count: 2 }),
    /media\/upload-1 is there twice/,
  ],
  [
    'bytes',
    edit((manifest) => Object.assign(manifest.files, { bytes: 1 })),
    /bytes is 220000, and/,
  ],
  [
    'missing',
    edit((manifest) => Object.assign(manifest.files, { missing: 1 })),
    /missing is 0, and/,
  ],
  ...[
    ...['../../etc/cron.d/evil', '/etc/passwd', 'media/../../x', 'media/..', 'media/.hidden'],
    ...['other/x', 'media', 'media//x', 'media/a b', `media/${'a'.repeat(200)}`, 'media\\..\\x'],
  ].map(
    (key) =>
      [
        `file ${key}`,
        files(`${listed({ key })}\n`),
        /files.0.gz is not a list of files: key: /,
      ] as const,
  ),
  ['size of a file', files(`${listed({ size: 2 ** 50 })}\n`), /list of files: size: Too big/],
  ['negative file', files(`${listed({ size: -5 })}\n`), /list of files: size: Too small/],
  [
    'hash of a file',
    files(`${listed({ sha256: '../../../etc' })}\n`),
    /list of files: sha256: must/,
  ],
  [
    'object',
    files(`${listed({ object: 'b'.repeat(64) })}\n`),
    /object: must be there if it is encr/,
  ],
  ['long line', files(`${' '.repeat(5_000)}${listed({})}\n`), /has a line of more than 4096 bytes/],
  ['no JSON in the list', files('{\n'), /files.0.gz cannot be read/],
  ['lost file', files(`${listed({})}\n`), /files\/aa\/a+ is missing/],
];

/** Attacks that only a database with the migrations of the backup shows. */
const seenByRestore: readonly (readonly [string, Attack, RegExp])[] = [
  [
    'migration that is left out',
    edit(({ migrations }) => migrations.shift()),
    /: migrations: they do not fit together/,
  ],
  [
    'table that is left out',
    edit((manifest) => ({
      ...manifest,
      tables: manifest.tables.filter(({ name }) => name !== 'commerce.audit_entry'),
    })),
    /: tables: commerce.audit_entry is missing/,
  ],
  [
    'column that is left out',
    edit((manifest) => tableOf(manifest).columns.pop()),
    /: columns of commerce.merchant: \w+ is missing/,
  ],
  [
    'column that is made up',
    edit((manifest) => tableOf(manifest).columns.push('ctid')),
    /: columns of commerce.merchant: ctid is unknown/,
  ],
  [
    'sequence that is made up',
    edit(({ sequences }) => sequences.push({ name: 'commerce.x', value: '1', isCalled: true })),
    /: sequences: commerce.x is unknown/,
  ],
  [
    'file that no row names',
    files(`${listed({ key: 'media/evil', missing: true })}\n`, { bytes: 0, missing: 1 }),
    /: the list of files lacks media\/upload-1/,
  ],
  [
    'file in addition',
    async (backup) => {
      const lines = [UPLOAD_KEY, 'media/evil'].map((key) => `${listed({ key, missing: true })}\n`);
      await files(lines.join(''), { count: 2, bytes: 0, missing: 2 })(backup);
    },
    /: the list of files has 2, and rows name 1/,
  ],
];

describe('restoring a backup of an attacker', () => {
  let fixture: BackupFixture;
  let place: EmptyPlace;
  let name: string;

  beforeAll(async () => {
    fixture = await BackupFixture.open();
    name = (await fixture.backup('whole', undefined)).manifest.name;
    await fixture.copy('whole', 'attacked');
    place = await fixture.emptyPlace('place');
  });
  afterAll(async () => {
    await fixture?.close();
  });

  /** A copy that was attacked. Of the copy before, only what attacks change is replaced: a whole one has a hundred files. */
  async function attacked(attack: Attack): Promise<FolderStore> {
    const backup = new WritableBackup(fixture.path('attacked'), name);
    for (const file of ['manifest.json', MERCHANTS, 'files.0.gz']) {
      await rm(backup.path(file), { force: true });
      await copyFile(fixture.path('whole', 'backups', name, file), backup.path(file));
    }
    await attack(backup);
    return fixture.store('attacked');
  }

  /** Schemas of the database, rows in it, and files. */
  async function written() {
    const schemas = await place.pool`
      select nspname from pg_namespace where nspname in ('commerce', 'ledger')`;
    const rowsOf = schemas.length === 0 ? [] : await place.pool`select 1 from commerce.merchant`;
    return {
      schemas: schemas.length,
      rows: rowsOf.length,
      files: await filesIn(fixture.path('place')),
    };
  }

  it.each(seenByVerify)('refuses before anything is written: %s', async (_, attack, message) => {
    const store = await attacked(attack);
    const verify = async () => verifyManifest(await openIn(store, name), { contents: true });
    await expect(verify()).rejects.toThrow(message);
    await expect(fixture.restore(store, place, unencrypted)).rejects.toThrow(message);
    expect(await written()).toEqual({ schemas: 0, rows: 0, files: [] });
  });

  // `backup verify` and a restore read the list with the same function, after all tables.
  it.each(seenInFiles)(
    'refuses a list of files before anything is written: %s',
    async (_, attack, message) => {
      const store = await attacked(attack);
      await expect(fixture.restore(store, place, unencrypted)).rejects.toThrow(message);
      expect(await written()).toEqual({ schemas: 0, rows: 0, files: [] });
    },
  );

  it('sees a wrong list of files when a backup is verified', async () => {
    const store = await attacked(files(''));
    const verify = verifyManifest(await openIn(store, name), { contents: true });
    await expect(verify).rejects.toThrow(/count is 0, and the manifest says 1/);
  });

  it('refuses what does not fit the database, and leaves no rows or files', async () => {
    for (const [what, attack, message] of seenByRestore) {
      const store = await attacked(attack);
      await verifyManifest(await openIn(store, name), { contents: true });
      const refusal = await fixture.restore(store, place, unencrypted).catch(String);
      expect([what, refusal]).toEqual([what, expect.stringMatching(message)]);
      expect(await written()).toMatchObject({ rows: 0, files: [] });
    }
  });

  it('rolls back if the target answers differently when the rows are loaded', async () => {
    const path = fixture.path('whole', 'backups', name, MERCHANTS);
    const lines = gunzipSync(await readFile(path)).toString('utf8');
    const bytes = gzipSync(lines.replace(SHOP, 'The shop of an attacker'));
    class Changing extends FolderStore {
      #reads = 0;
      override async read(key: string): Promise<Readable> {
        // The hash, the rows, and then the load.
        if (key.includes('commerce.merchant.') && ++this.#reads > 2) return Readable.from([bytes]);
        return await super.read(key);
      }
    }
    const store = new Changing(fixture.path('whole'));
    await expect(fixture.restore(store, place, unencrypted)).rejects.toThrow(
      /commerce.merchant.0.gz (has \d+ bytes|has more than|is damaged)/,
    );
    expect(await written()).toMatchObject({ rows: 0 });
  });

  it('stops reading where an endless answer exceeds the size in the manifest', async () => {
    let sent = 0;
    class Endless extends FolderStore {
      override async read(key: string): Promise<Readable> {
        if (!key.includes('commerce.merchant.')) return await super.read(key);
        return Readable.from(
          (function* () {
            for (;;) {
              sent += 1 << 16;
              yield Buffer.alloc(1 << 16);
            }
          })(),
        );
      }
    }
    const store = new Endless(fixture.path('whole'));
    await expect(fixture.restore(store, place, unencrypted)).rejects.toThrow(/has more than/);
    expect(sent).toBeLessThan(16 << 20);
  });

  it('leaves what is not a backup in the target alone', async () => {
    const store = await attacked(async (backup) => {
      await writeFile(backup.path('..', 'readme'), 'not a backup');
    });
    await fixture.backup('attacked', undefined, 1);
    expect(await filesIn(store.url)).toContain('backups/readme');
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1));
}
