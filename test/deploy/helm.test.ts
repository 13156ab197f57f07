import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Ajv } from 'ajv';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { variableNames } from './env-file.ts';

const CHART = join(projectRoot, 'deploy', 'helm', 'tributary');

/** Where Debian's packages golang-github-masterminds-sprig-dev and golang-gopkg-yaml.v3-dev are. */
const GOPATH = '/usr/share/gocode';
const goEnv = { ...process.env, GO111MODULE: 'off', GOPATH, GOFLAGS: '' };
const rendererAvailable =
  spawnSync('go', ['list', 'github.com/Masterminds/sprig', 'gopkg.in/yaml.v3'], {
    stdio: 'ignore',
    env: goEnv,
  }).status === 0;
if (!rendererAvailable) {
  console.warn('No Go with sprig and yaml.v3: the Helm chart is not rendered.');
}

/** Each kind of the chart: its model, and the module of its type. */
const KINDS = {
  Deployment: [Deployment, 'kubernetes-models/apps/v1/Deployment'],
  CronJob: [CronJob, 'kubernetes-models/batch/v1/CronJob'],
  Job: [Job, 'kubernetes-models/batch/v1/Job'],
  Ingress: [Ingress, 'kubernetes-models/networking.k8s.io/v1/Ingress'],
  PodDisruptionBudget: [PodDisruptionBudget, 'kubernetes-models/policy/v1/PodDisruptionBudget'],
  Service: [Service, 'kubernetes-models/v1/Service'],
  PrometheusRule: [
    PrometheusRule,
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule',
  ],
  ServiceMonitor: [
    ServiceMonitor,
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor',
  ],
} as const;

interface Manifest {
  readonly kind: keyof typeof KINDS;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: unknown }[];
}

type Values = Record<string, unknown>;

const defaults = (): Values => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
const needed = {
  chain: { chainId: 84_532, contractAddress: `0x${'1'.repeat(40)}`, startBlock: 20_000_000 },
  config: { S3_BUCKET: 'uploads', PUBLIC_URL: 'https://tributary.example' },
};
const everything: Values = {
  ...defaults(),
  ...needed,
  imagePullSecrets: [{ name: 'registry' }],
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'a.example',
    tlsSecret: 'tls',
    annotations: { a: 'b' },
  },
  serviceMonitor: { enabled: true, interval: '15s', labels: { a: 'b' }, tokenKey: 'METRICS_TOKEN' },
  prometheusRule: { enabled: true, labels: { a: 'b' }, runbooks: 'https://wiki.example/r' },
  backup: { ...(defaults().backup as Values), enabled: true, to: 's3://backups/tributary' },
};

describe('the values of the Helm chart', () => {
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')),
  );

  it('follow their schema, which finds mistakes', () => {
    expect(validate(everything), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...defaults(), ...needed })).toBe(true);
    // Each of these is a mistake that would otherwise be found in the cluster.
    for (const wrong of [
      {},
      { ...needed, chain: { ...needed.chain, contractAddress: '0x12' } },
      { ...needed, config: { PORT: '1' } },
      { ...needed, worker: { replica: 3 } },
      { ...needed, api: { replicas: 0 } },
      { ...needed, prometheusRule: { enabled: true, runbooks: 'wiki' } },
    ]) {
      expect(validate({ ...defaults(), ...wrong }), JSON.stringify(wrong)).toBe(false);
    }
  });
});

describe.skipIf(!rendererAvailable)('the Helm chart', () => {
  let folder: string;
  let renderer: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-chart-'));
    renderer = join(folder, 'render-chart');
    const source = join(projectRoot, 'test', 'deploy', 'render-chart.go');
    const { status, stderr } = spawnSync('go', ['build', '-o', renderer, source], {
      encoding: 'utf8',
      env: goEnv,
    });
    expect(status, stderr).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** @throws {Error} with the sentence of a template that fails. */
  const render = (values: Values): Manifest[] => {
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    const Chart = { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion };
    const Release = { Name: 'main', Namespace: 'tributary', Service: 'Helm' };
    const input = { folder: CHART, context: { Values: values, Release, Chart } };
    const { status, stdout, stderr } = spawnSync(renderer, {
      encoding: 'utf8',
      input: JSON.stringify(input),
    });
    if (status !== 0) throw new Error(stderr);
    const files = Object.entries(JSON.parse(stdout) as Record<string, string>);
    return files
      .filter(([name]) => name.endsWith('.yaml'))
      .flatMap(([, text]) => parseAllDocuments(text))
      .map((document) => {
        if (document.errors.length > 0) throw document.errors[0];
        return document.toJS() as Manifest | null;
      })
      .filter((manifest) => manifest !== null);
  };

  it('renders what Kubernetes accepts', () => {
    for (const values of [{ ...defaults(), ...needed }, everything]) {
      for (const manifest of render(values)) {
        const [Model] = KINDS[manifest.kind];
        const { kind: _, apiVersion, ...rest } = manifest as Manifest & { apiVersion: string };
        expect(apiVersion).toBe(Model.apiVersion);
        expect(() => new Model(rest as never).validate(), JSON.stringify(rest)).not.toThrow();
      }
    }
  });

  it('renders no field that Kubernetes does not know', () => {
    const typed = (manifests: readonly Manifest[]) =>
      manifests
        .map((manifest, i) => {
          const [, path] = KINDS[manifest.kind];
          return `export const m${i}: import('${path}').I${manifest.kind} = ${JSON.stringify(manifest)};`;
        })
        .join('\n');
    const manifests = render(everything);
    const [first] = manifests;
    expect(compile(typed(manifests))).toBe('');
    expect(compile(typed([{ ...first, specc: {} } as unknown as Manifest]))).toContain('specc');
  });

  it('runs all parts, with variables that exist', () => {
    const manifests = render(everything);
    const containers = manifests.flatMap(containersOf);
    expect(containers.map(({ args }) => args[0]).sort()).toEqual([
      ...['api', 'backup', 'indexer', 'migrate', 'worker'],
    ]);
    for (const { env } of containers) {
      expect(env.filter(({ name }) => !variableNames.has(name))).toEqual([]);
      // Not 2e+07: numbers of values are floats in templates.
      expect(env).toContainEqual({ name: 'START_BLOCK', value: '20000000' });
      expect(env.every(({ value }) => typeof value === 'string')).toBe(true);
    }
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('PodDisruptionBudget main-api');
  });

  it('contains the rules of deploy/prometheus, with links to the runbooks of the values', () => {
    const rulesOf = (values: Values) =>
      render(values).filter(({ kind }) => kind === 'PrometheusRule');
    const [rule, ...others] = rulesOf(everything);
    expect(others).toEqual([]);
    expect(rule?.metadata).toMatchObject({ name: 'main', labels: { a: 'b' } });
    const text = readFileSync(join(projectRoot, 'deploy', 'prometheus', 'rules.yaml'), 'utf8');
    const linked = text.replaceAll('https://runbooks.example', 'https://wiki.example/r');
    expect(rule?.spec).toEqual(parse(linked));
    // Helm must not replace what Prometheus does.
    expect(JSON.stringify(rule)).toContain('{{ $labels.replica }}');
    expect(rulesOf({ ...defaults(), ...needed })).toEqual([]);
  });

  it('refuses to lose uploads, and an ingress without a host', () => {
    expect(() => render({ ...defaults(), chain: needed.chain })).toThrow('uploads would be lost');
    const claim = { ...defaults(), chain: needed.chain, files: { existingClaim: 'files' } };
    expect(JSON.stringify(render(claim))).toContain('"claimName":"files"');
    const ingress = { enabled: true, host: '' };
    expect(() => render({ ...everything, ingress })).toThrow('Set ingress.host.');
  });
});

/** Containers of a manifest's pod, if it has one. */
function containersOf({ spec }: Manifest): readonly Container[] {
  const found = JSON.stringify(spec).includes('"containers"');
  if (!found) return [];
  type Pod = { template?: { spec: { containers: Container[] } }; jobTemplate?: { spec: Pod } };
  const podOf = (given: Pod): readonly Container[] =>
    given.jobTemplate ? podOf(given.jobTemplate.spec) : (given.template?.spec.containers ?? []);
  return podOf(spec as Pod);
}

/** Compiles TypeScript in a folder that finds the project's packages. @returns the errors. */
function compile(text: string): string {
  const folder = mkdtempSync(join(projectRoot, 'node_modules', '.tributary-types-'));
  try {
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, text);
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(projectRoot, 'node_modules', 'typescript-native', 'bin', 'tsc'),
        ...['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck'],
        ...['--module', 'nodenext', '--types', '', file],
      ],
      { encoding: 'utf8', cwd: folder },
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
