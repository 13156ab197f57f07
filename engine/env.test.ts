import { describe, expect, test } from 'vitest';
import { ConfigError, inheritedEnv, readEnv } from './env.ts';

const chain = {
  CHAIN_ID: '8453',
  RPC_URL: 'https://one.example/key, http://two.example',
  CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  START_BLOCK: '12',
};

describe('readEnv', () => {
  test('an empty environment means embedded parts and the documented defaults', () => {
    expect(readEnv({})).toEqual({
      databaseUrl: undefined,
      redisUrl: undefined,
      chain: undefined,
      host: '127.0.0.1',
      port: 4000,
      portIsDefault: true,
      drainSeconds: 5,
      explorerUrl: undefined,
      allowedOrigins: [],
      publicUrl: undefined,
      operators: [],
      storage: undefined,
      secret: undefined,
      secretPrevious: undefined,
      stallSeconds: 60,
      trustedProxies: 0,
      rateLimitPerMinute: 1_200,
      answersKeptMiB: 32,
      logLevel: 'info',
      dataDir: '.tributary',
      workers: 1,
      pollingIntervalMs: 100,
      metricsPort: undefined,
      metricsToken: undefined,
      keeper: undefined,
      tracing: undefined,
    });
  });

  test('the four chain variables make a chain, with one RPC or several', () => {
    expect(readEnv(chain).chain).toEqual({
      chainId: 8453,
      rpcUrls: ['https://one.example/key', 'http://two.example'],
      contractAddress: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      startBlock: 12,
    });
  });

  test('OpenTelemetry is on where one of its variables says where to, unless switched off', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
    expect(readEnv(endpoint).tracing).toEqual({ serviceName: undefined });
    expect(readEnv({ ...endpoint, OTEL_SERVICE_NAME: 'shop' }).tracing).toEqual({
      serviceName: 'shop',
    });
    expect(readEnv({ OTEL_TRACES_EXPORTER: 'console' }).tracing).toBeDefined();
    expect(readEnv({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeUndefined();
    expect(readEnv({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).tracing).toBeUndefined();
    expect(readEnv({ OTEL_SERVICE_NAME: 'shop' }).tracing).toBeUndefined();
  });

  test('an explorer loses its last slash, and origins are a list without paths', () => {
    const { explorerUrl, allowedOrigins } = readEnv({
      EXPLORER_URL: 'https://explorer.example/base/',
      ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173',
    });
    expect(explorerUrl).toBe('https://explorer.example/base');
    expect(allowedOrigins).toEqual(['https://a.example', 'http://localhost:5173']);
    expect(sentences({ ALLOWED_ORIGINS: 'https://a.example/, *' })).toEqual([
      'ALLOWED_ORIGINS (entry 1) must be an origin like https://example.com, without a path.',
    ]);
  });

  test('the public URL is an origin, and proxies and limits are numbers within bounds', () => {
    const given = { PUBLIC_URL: 'https://api.example', TRUSTED_PROXIES: '2' };
    expect(readEnv({ ...given, RATE_LIMIT_PER_MINUTE: '5' })).toMatchObject({
      publicUrl: 'https://api.example',
      trustedProxies: 2,
      rateLimitPerMinute: 5,
    });
    const wrong = { PUBLIC_URL: 'https://a.example/x', TRUSTED_PROXIES: '11' };
    expect(sentences({ ...wrong, RATE_LIMIT_PER_MINUTE: '0' })).toEqual([
      'PUBLIC_URL must be an origin like https://example.com, without a path.',
      'TRUSTED_PROXIES must be a whole number from 0 to 10.',
      'RATE_LIMIT_PER_MINUTE must be a whole number from 1 to 1000000.',
    ]);
  });

  test('an empty variable counts as absent', () => {
    expect(readEnv({ DATABASE_URL: '', PORT: ' ', CHAIN_ID: '' })).toEqual(readEnv({}));
  });

  test('some but not all chain variables: one sentence for each that is missing', () => {
    expect(sentences({ RPC_URL: chain.RPC_URL, START_BLOCK: '0' })).toEqual([
      'CHAIN_ID is missing: a chain needs all of CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK.',
      'CONTRACT_ADDRESS is missing: a chain needs all of CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK.',
    ]);
  });

  test.each([
    ['DATABASE_URL', 'mysql://u:secret@h/d'],
    ['REDIS_URL', 'localhost:6379'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '4e3'],
    ['LOG_LEVEL', 'loud'],
    ['WORKERS', '-1'],
    ['WORKERS', '1.5'],
    ['POLLING_INTERVAL_MS', '99'],
    ['POLLING_INTERVAL_MS', '99999999999999999999'],
    ['EXPLORER_URL', 'explorer.example'],
  ])('%s=%s is one sentence that starts with its name and keeps secrets', (name, value) => {
    const [sentence, ...others] = sentences({ [name]: value });
    expect(others).toEqual([]);
    expect(sentence).toMatch(new RegExp(`^${name} must be .+\\.$`));
    expect(sentence).not.toContain('secret');
  });

  test.each([
    ['CHAIN_ID', '0'],
    ['RPC_URL', 'https://one.example/key,ftp://two.example'],
    ['CONTRACT_ADDRESS', '0x1234'],
    ['START_BLOCK', '-3'],
    ['RPC_WS_URL', 'https://one.example/key'],
    ['RPC_REQUESTS_PER_SECOND', '19'],
  ])('a bad %s among the chain variables is named alone', (name, value) => {
    const found = sentences({ ...chain, [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name}.* must be .+\\.$`));
    expect(found[0]).not.toContain('key');
  });

  test('all that is wrong is said at once', () => {
    expect(sentences({ PORT: 'x', WORKERS: 'y', CHAIN_ID: 'z' })).toHaveLength(6);
  });
});

test('a child inherits no variable of ours', () => {
  expect(inheritedEnv({ PATH: '/bin', PORT: '1', DATABASE_URL: 'postgres://' })).toEqual({
    PATH: '/bin',
  });
});

function sentences(source: Record<string, string>): readonly string[] {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof ConfigError) return error.sentences;
    throw error;
  }
  return [];
}
