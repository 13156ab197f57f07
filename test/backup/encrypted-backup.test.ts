import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Encryption, Identities, openEncryption } from '../../engine/backup/encryption.ts';
import type { Sealed } from '../../engine/backup/manifest.ts';
import { isSealed, type OpenOptions, readManifest } from '../../engine/backup/open.ts';
import { listBackups } from '../../engine/backup/retention.ts';
import { verifyManifest, verifySealed } from '../../engine/backup/verify.ts';
import { runHere } from '../support/run-cli.ts';
import {
  BackupFixture,
  openIn,
  SHOP,
  UPLOAD,
  UPLOAD_KEY,
  unencrypted,
  WritableBackup,
} from './backup-fixture.ts';

/** Eight commands, on a busy machine. */
const COMMANDS_MS = 300_000;

const NAME_KEY = new Uint8Array(32).fill(7);

/** A key pair, and the file that an operator has of it. */
interface KeyPair {
  readonly identity: string;
  readonly recipient: string;
  readonly file: string;
  readonly options: OpenOptions;
}

describe('encrypted backups', () => {
  let fixture: BackupFixture;
  let own: KeyPair;
  let second: KeyPair;
  let stranger: KeyPair;
  let encryption: Encryption;
  let name: string;

  beforeAll(async () => {
    fixture = await BackupFixture.open();
    [own, second, stranger] = [
      await keyPair('own'),
      await keyPair('second'),
      await keyPair('other'),
    ];
    encryption = openEncryption([own.recipient, second.recipient], NAME_KEY);
    name = (await fixture.backup('sealed', encryption)).manifest.name;
  });
  afterAll(async () => {
    await fixture?.close();
  });

  async function keyPair(file: string): Promise<KeyPair> {
    const identity = await generateIdentity();
    const recipient = await identityToRecipient(identity);
    const path = fixture.path(`${file}.txt`);
    await writeFile(path, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600 });
    const identities = await Identities.read(path);
    return { identity, recipient, file: path, options: { identities, allowUnencrypted: false } };
  }

  async function sealedOf(target: string, of = name): Promise<Sealed> {
    const stored = await readManifest(fixture.store(target), of);
    if (!isSealed(stored)) throw new Error(`${of} is not encrypted`);
    return stored;
  }

  const verifyIn = async (target: string, options: OpenOptions, of = name) =>
    verifyManifest(await openIn(fixture.store(target), of, options), { contents: true });

  it('restores rows and files with the identity of either recipient', async () => {
    for (const [place, pair] of [
      ['own', own],
      ['second', second],
    ] as const) {
      const { pool, files } = await fixture.emptyPlace(place);
      await fixture.restore(fixture.store('sealed'), { pool, files }, pair.options);
      expect(await pool`select name from commerce.merchant`).toEqual([{ name: SHOP }]);
      expect(Buffer.from(await files.getBytes(UPLOAD_KEY)).equals(UPLOAD)).toBe(true);
    }
  });

  it('shows no text, content or plain hash to readers of the target, and leaves no scratch', async () => {
    const target = fixture.path('sealed');
    expect((await readdir(target)).sort()).toEqual(['backups', 'files']);
    const sha256 = createHash('sha256').update(UPLOAD).digest('hex');
    for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      expect(path).not.toContain(sha256);
      if (!entry.isFile()) continue;
      const bytes = await readFile(path);
      const texts = [bytes, ...(path.endsWith('.gz') ? [gunzipSync(bytes)] : [])];
      for (const text of texts) {
        for (const secret of [
          SHOP,
          UPLOAD.subarray(0, 60).toString(),
          sha256,
          UPLOAD_KEY,
          own.recipient,
        ]) {
          expect(text.includes(secret)).toBe(false);
        }
      }
    }
  });

  it("decrypts a part with age's library alone, and reads what that encrypts", async () => {
    const decrypter = new Decrypter();
    decrypter.addIdentity(own.identity);
    const part = fixture.path('sealed', 'backups', name, 'tables/commerce.merchant.0.gz.age');
    const plain = await decrypter.decrypt(await readFile(part));
    expect(gunzipSync(plain).toString('utf8')).toContain(SHOP);
    const encrypter = new Encrypter();
    encrypter.addRecipient(own.recipient);
    const encrypted = await encrypter.encrypt(UPLOAD);
    const chunks: Uint8Array[] = [];
    const { identities } = own.options;
    const source = (async function* () {
      for (let at = 0; at < encrypted.length; at += 1_000) yield encrypted.subarray(at, at + 1_000);
    })();
    for await (const chunk of identities?.decrypt('x', source) ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(UPLOAD)).toBe(true);
  });

  it('refuses an identity of another key, and none', async () => {
    await expect(verifyIn('sealed', stranger.options)).rejects.toThrow(
      /manifest.json.age is encrypted for another key than those of BACKUP_IDENTITY_FILE/,
    );
    await expect(verifyIn('sealed', unencrypted)).rejects.toThrow(
      /is encrypted \(for [0-9a-f]{16}, [0-9a-f]{16}\): set BACKUP_IDENTITY_FILE/,
    );
  });

  it('stores a file once for its recipients, and again for others', async () => {
    await fixture.copy('sealed', 'again');
    const again = await fixture.backup('again', encryption);
    expect(again.stored.files).toBe(0);
    const others = openEncryption([second.recipient], NAME_KEY);
    const changed = await fixture.backup('again', others);
    expect(changed.stored.files).toBe(1);
    await verifyIn('again', second.options, changed.manifest.name);
    await verifyIn('again', own.options, again.manifest.name);
  });

  it('removes old backups with the files that only they have, without a private key', async () => {
    await fixture.copy('sealed', 'pruned');
    const objects = async () =>
      (await readdir(fixture.path('pruned', 'files'), { recursive: true })).filter((one) =>
        one.endsWith('.age'),
      );
    const before = await objects();
    const pruned = await fixture.backup('pruned', openEncryption([own.recipient], NAME_KEY), 1);
    expect(pruned.removed).toEqual([name]);
    expect(before).toHaveLength(1);
    expect(await objects()).toHaveLength(1);
    expect(await objects()).not.toEqual(before);
    await verifyIn('pruned', own.options, pruned.manifest.name);
  });

  it('reads encrypted backups next to older ones that are not encrypted', async () => {
    const older = (await fixture.backup('mixed', undefined)).manifest.name;
    // Names have seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const newer = (await fixture.backup('mixed', encryption)).manifest.name;
    const store = fixture.store('mixed');
    expect((await listBackups(store)).map((one) => one.name)).toEqual([older, newer]);
    await verifyIn('mixed', { ...own.options, allowUnencrypted: true }, older);
    await verifyIn('mixed', own.options, newer);
    await expect(fixture.backup('mixed', undefined)).rejects.toThrow(
      /has an encrypted backup .* and BACKUP_RECIPIENTS is not set/,
    );
  });

  it('refuses every kind of object with a flipped byte, and one that was cut', async () => {
    const sealed = await sealedOf('sealed');
    const [object = ''] = (
      await readdir(fixture.path('sealed', 'files'), { recursive: true })
    ).filter((one) => one.endsWith('.age'));
    const kinds: readonly (readonly [string, RegExp])[] = [
      [`backups/${name}/manifest.json`, /manifest.json/],
      [sealed.description.key, /manifest.json.age/],
      [`backups/${name}/tables/commerce.merchant.0.gz.age`, /commerce.merchant.0.gz.age/],
      [`backups/${name}/files.0.gz.age`, /files.0.gz.age/],
      [`files/${object}`, /files\/.*age/],
    ];
    await fixture.copy('sealed', 'damaged');
    for (const [key, message] of kinds) {
      const path = fixture.path('damaged', key);
      const whole = await readFile(path);
      const { length } = whole;
      const damages = [
        ...[0, 30, 180, Math.floor(length / 2), length - 1].map(
          (at) => (bytes: Buffer) => flipped(bytes, at),
        ),
        ...[0, 100, length - 2].map((size) => (bytes: Buffer) => bytes.subarray(0, size)),
        (bytes: Buffer) => Buffer.concat([bytes, bytes]),
      ];
      for (const [index, damage] of damages.entries()) {
        await writeFile(path, damage(whole));
        const result = await verifyIn('damaged', own.options).catch(String);
        expect([key, index, result]).toEqual([key, index, expect.stringMatching(message)]);
        expect(result).toMatch(/^BackupError: /);
      }
      await writeFile(path, whole);
    }
  });

  it('finds changed and missing objects without a key', async () => {
    const sealed = await sealedOf('sealed');
    await verifySealed(fixture.store('sealed'), sealed);
    await fixture.copy('sealed', 'damaged');
    for (const { key } of [sealed.description, ...sealed.parts, ...sealed.contents.parts]) {
      const path = fixture.path('damaged', key);
      const bytes = await readFile(path);
      await writeFile(path, flipped(bytes, bytes.length - 1));
      await expect(verifySealed(fixture.store('damaged'), sealed)).rejects.toThrow(
        `${key} is damaged`,
      );
      await writeFile(path, bytes);
    }
    await rm(fixture.path('damaged', 'files'), { recursive: true });
    await expect(verifySealed(fixture.store('damaged'), sealed)).rejects.toThrow(
      /files\/.* is missing/,
    );
  });

  it('refuses parts of another backup, and another backup under its name', async () => {
    await fixture.copy('sealed', 'swapped');
    const other = (await fixture.backup('swapped', encryption)).manifest.name;
    const path = (of: string, file: string) => fixture.path('swapped', 'backups', of, file);
    const merchants = 'tables/commerce.merchant.0.gz.age';
    await copyFile(path(other, merchants), path(name, merchants));
    await expect(verifyIn('swapped', own.options)).rejects.toThrow(/merchant.0.gz.age/);

    await fixture.copy('sealed', 'renamed');
    const renamed = `${name.slice(0, -8)}00000000`;
    await cp(
      fixture.path('renamed', 'backups', name),
      fixture.path('renamed', 'backups', renamed),
      {
        recursive: true,
      },
    );
    const manifest = fixture.path('renamed', 'backups', renamed, 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replaceAll(name, renamed));
    await expect(verifyIn('renamed', own.options, renamed)).rejects.toThrow(
      /manifest.json.age is not of this backup: name differs/,
    );
  });

  it('refuses an object without an end of its header', async () => {
    await fixture.copy('sealed', 'endless');
    const [object = ''] = (
      await readdir(fixture.path('endless', 'files'), { recursive: true })
    ).filter((one) => one.endsWith('.age'));
    const start = Buffer.from('age-encryption.org/v1\n-> X25519 ');
    const path = fixture.path('endless', 'files', object);
    await writeFile(path, Buffer.concat([start, Buffer.alloc(90_000, 97)]));
    await expect(verifyIn('endless', own.options)).rejects.toThrow(/its header has no end/);
  });

  it('says in clear only what the layout has, at the places of the layout', async () => {
    const cases: readonly (readonly [(sealed: Sealed) => unknown, RegExp])[] = [
      [(one) => ({ ...one, rows: 1 }), /Unrecognized key/],
      [(one) => ({ ...one, recipients: [] }), /recipients: Too small/],
      [
        (one) => ({ ...one, recipients: ['\u001b[2J'] }),
        /recipients\[0\]: must be the id of a key/,
      ],
      [(one) => Object.assign(one.description, { key: '../x' }) && one, /description.key: must be/],
      [
        (one) => Object.assign(one.parts[0] ?? {}, { key: '../../x' }) && one,
        /parts\[0\].key: must/,
      ],
      [(one) => one.parts.push(...one.parts.slice(0, 1)) && one, /parts\[\d+\]: must not be there/],
      [
        (one) => Object.assign(one.contents.parts[0] ?? {}, { key: 'x' }) && one,
        /contents.parts\[0\]/,
      ],
    ];
    for (const [change, message] of cases) {
      await fixture.copy('sealed', 'damaged');
      const path = fixture.path('damaged', 'backups', name, 'manifest.json');
      const json = JSON.parse(await readFile(path, 'utf8'));
      await writeFile(path, JSON.stringify(change(json)));
      await expect(readManifest(fixture.store('damaged'), name)).rejects.toThrow(message);
    }
  });

  it('refuses a public key that was mistyped', () => {
    const wrong = `${own.recipient.slice(0, -1)}${own.recipient.endsWith('q') ? 'p' : 'q'}`;
    expect(() => openEncryption([own.recipient, wrong], NAME_KEY)).toThrow(
      'BACKUP_RECIPIENTS (entry 2) is not a public key of age',
    );
  });

  it('refuses a file of identities that others can read or that has none, without showing it', async () => {
    const file = fixture.path('bad.txt');
    const refusal = async (text: string, mode = 0o600) => {
      await writeFile(file, text);
      await chmod(file, mode);
      const message = await Identities.read(file).catch(String);
      expect(message).not.toContain('SECRET-KEY-1Q');
      return message;
    };
    expect(await refusal(own.identity, 0o644)).toMatch(
      /Every account can read BACKUP_IDENTITY_FILE/,
    );
    expect(await refusal('# nothing\n')).toMatch(/has no identity of age/);
    expect(await refusal(`\n${own.identity.slice(0, -3)}QQQ\n`)).toMatch(
      /line 2, is not an identity/,
    );
    expect(await refusal(own.recipient)).toMatch(/line 1, is not an identity/);
    expect(await refusal('#'.repeat(70_000))).toMatch(/is not a file of age's keys/);
    expect(await refusal(`${own.identity}\n`.repeat(17))).toMatch(/more than 16 identities/);
    await rm(file);
    expect(await Identities.read(file).catch(String)).toMatch(/cannot be read: ENOENT/);
  });

  it(
    'verifies in the command with and without the key, and refuses a replacement in clear',
    async () => {
      const target = fixture.path('sealed');
      const verify = (
        to: string,
        env: Readonly<Record<string, string>>,
        args: readonly string[] = [],
      ) => runHere(['backup', 'verify', to, ...args], env);
      const opened = await verify(target, { BACKUP_IDENTITY_FILE: own.file });
      expect(opened).toMatchObject({ code: 0, stderr: '' });
      expect(opened.stdout).toBe(`${name} is complete: every hash was compared.\n`);
      const closed = await verify(target, {});
      expect(closed).toMatchObject({ code: 0, stderr: '' });
      expect(closed.stdout).toContain('Nothing was decrypted: that needs BACKUP_IDENTITY_FILE.');
      const wrong = await verify(target, { BACKUP_IDENTITY_FILE: stranger.file });
      expect([wrong.code, wrong.stderr]).toEqual([
        1,
        expect.stringMatching(/^.*for another key.*\n$/),
      ]);

      // What an attacker makes who has no key: a whole backup, newer than the others.
      await fixture.copy('sealed', 'replaced');
      const made = (await fixture.backup('attacker', undefined)).manifest.name;
      const forged = `99991231T235959Z-${made.slice(-8)}`;
      await mkdir(fixture.path('replaced', 'backups'), { recursive: true });
      await cp(fixture.path('attacker'), fixture.path('replaced'), { recursive: true });
      await cp(
        fixture.path('attacker', 'backups', made),
        fixture.path('replaced', 'backups', forged),
        { recursive: true },
      );
      const backup = new WritableBackup(fixture.path('replaced'), forged);
      await backup.edit((manifest) => ({
        ...JSON.parse(JSON.stringify(manifest).replaceAll(made, forged)),
        createdAt: '9999-12-31T23:59:59.000Z',
      }));
      const replaced = fixture.path('replaced');
      const refusal = new RegExp(`^.*${forged} is not encrypted, and BACKUP_RECIPIENTS or .*\n$`);
      const attempts: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] =
        [
          [['backup', 'verify', replaced], { BACKUP_RECIPIENTS: own.recipient }],
          [['restore', '--from', replaced], { BACKUP_IDENTITY_FILE: own.file }],
        ];
      for (const [args, env] of attempts) {
        const refused = await runHere(args, env);
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(refusal)]);
      }
      const allowed = await verify(replaced, { BACKUP_IDENTITY_FILE: own.file }, [
        '--allow-unencrypted',
      ]);
      expect(allowed).toMatchObject({ code: 0, stderr: '' });
      const missing = await runHere(['restore', '--from', target], {});
      expect([missing.code, missing.stderr]).toEqual([
        1,
        expect.stringMatching(/^.* is encrypted \(for .*\): set BACKUP_IDENTITY_FILE .*\n$/),
      ]);
      const listed = await runHere(['backup', 'list', target], {});
      expect(listed.stdout).toMatch(new RegExp(`${name} +encrypted`));
    },
    COMMANDS_MS,
  );
});

/** Another byte at a position. */
function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  return changed;
}
