import { describe, expect, it } from 'vitest';
import { ConfigError, inheritedEnv, readDeployerEnv, readEnv, secretsOf } from './env.ts';
import { allVariables, type Program } from './variables.ts';

const chain = {
  CHAIN_ID: '8453',
  RPC_URL: 'https://one.example/key, http://two.example',
  CONTRACT_ADDRESS: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  START_BLOCK: '12',
};

describe('readEnv', () => {
  it('reads embedded parts and the documented defaults from an empty environment', () => {
    expect(readEnv({})).toEqual({
      databaseUrl: undefined,
      databaseReplicaUrls: [],
      redisUrl: undefined,
      chain: undefined,
      host: '127.0.0.1',
      port: 4000,
      portIsDefault: true,
      drainSeconds: 5,
      explorerUrl: undefined,
      allowedOrigins: [],
      publicUrl: undefined,
      designedMethods: [],
      webhookAllowCidrs: [],
      operators: [],
      walletConnectProjectId: undefined,
      publicRpcUrl: undefined,
      backup: {
        recipients: [],
        identityFile: undefined,
        region: undefined,
        endpoint: undefined,
        accessKeyId: undefined,
        secretAccessKey: undefined,
      },
      storage: undefined,
      secret: undefined,
      secretPrevious: undefined,
      deployments: [],
      stallSeconds: 60,
      trustedProxies: 0,
      rateLimitPerMinute: 1_200,
      responseCacheMiB: 32,
      logLevel: 'info',
      dataDir: '.tributary',
      workers: 1,
      pollingIntervalMs: undefined,
      metricsPort: undefined,
      metricsToken: undefined,
      keeper: undefined,
      tracing: undefined,
    });
  });

  it('reads a chain from its four variables, with one RPC or several', () => {
    expect(readEnv(chain).chain).toEqual({
      chainId: 8453,
      rpcUrls: ['https://one.example/key', 'http://two.example'],
      contractAddress: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
      startBlock: 12,
    });
  });

  it('reads a depth of finality of one block or more', () => {
    expect(readEnv({ ...chain, FINALITY_BLOCKS: '64' }).chain?.finalityBlocks).toBe(64);
    expect(sentences({ ...chain, FINALITY_BLOCKS: '0' })).toHaveLength(1);
  });

  it('turns tracing on if a variable of OpenTelemetry names an endpoint, unless it is switched off', () => {
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

  it('removes the last slash of an explorer URL, and accepts origins without paths only', () => {
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

  it('accepts an origin as public URL, and proxies and limits within bounds', () => {
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

  it('reads a mail server together with its sender, and repeats neither in a message', () => {
    const url = 'smtps://user:secret@mail.example:465';
    const both = { SMTP_URL: url, SMTP_FROM: 'notices@shop.example' };
    expect(readEnv(both).mail).toEqual({ url, from: 'notices@shop.example' });
    expect(readEnv({}).mail).toBeUndefined();
    expect(secretsOf(both)).toEqual([url]);
    expect(sentences({ SMTP_URL: url })).toEqual([
      'SMTP_FROM is missing: e-mail needs all of SMTP_URL, SMTP_FROM.',
    ]);
    for (const wrong of [
      `${url}/?tls.rejectUnauthorized=false`,
      'https://user:secret@mail.example',
    ]) {
      const [sentence, ...others] = sentences({ ...both, SMTP_URL: wrong });
      expect(others).toEqual([]);
      expect(sentence).toMatch(/^SMTP_URL must .+\.$/);
      expect(sentence).not.toMatch(/secret|mail\.example/);
    }
    expect(sentences({ ...both, SMTP_FROM: 'Shop <notices@shop.example>' })).toEqual([
      'SMTP_FROM must be an e-mail address.',
    ]);
  });

  it('reads the URLs of replicas, and names a bad one without its password', () => {
    const url = 'postgres://u:secret@one.example/shop';
    expect(readEnv({ DATABASE_REPLICA_URLS: `${url}, ${url}` }).databaseReplicaUrls).toEqual([
      url,
      url,
    ]);
    const [sentence] = sentences({ DATABASE_REPLICA_URLS: `${url},mysql://u:secret@h/d` });
    expect(sentence).toMatch(/^DATABASE_REPLICA_URLS \(entry 2\) must be a URL/);
    expect(sentence).not.toContain('secret');
    expect(sentences({ DATABASE_REPLICA_URLS: Array(17).fill(url).join(',') })).toEqual([
      'DATABASE_REPLICA_URLS must name at most 16 replicas.',
    ]);
  });

  it('reads deployments with and without their identity', () => {
    const contract = chain.CONTRACT_ADDRESS;
    const { deployments } = readEnv({
      DEPLOYMENTS: `https://one.example, 8453/${contract}=http://10.0.0.2:4000`,
    });
    expect(deployments).toEqual([
      { url: 'https://one.example', identity: undefined },
      {
        url: 'http://10.0.0.2:4000',
        identity: { chainId: 8453, contractAddress: contract.toLowerCase() },
      },
    ]);
    for (const wrong of ['https://one.example/path', '8453=https://one.example', 'one.example']) {
      const [sentence = ''] = sentences({ DEPLOYMENTS: wrong });
      expect(sentence).toMatch(/^DEPLOYMENTS \(entry 1\) must be an origin like/);
    }
  });

  it('treats an empty variable as not set', () => {
    expect(readEnv({ DATABASE_URL: '', PORT: ' ', CHAIN_ID: '' })).toEqual(readEnv({}));
  });

  it('names each missing variable if only some of the chain are set', () => {
    expect(sentences({ RPC_URL: chain.RPC_URL, START_BLOCK: '0' })).toEqual([
      'CHAIN_ID is missing: a chain needs all of CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK.',
      'CONTRACT_ADDRESS is missing: a chain needs all of CHAIN_ID, RPC_URL, CONTRACT_ADDRESS, START_BLOCK.',
    ]);
  });

  it.each([
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
  ])(
    'rejects %s=%s in one sentence that starts with the name and reveals no secret',
    (name, value) => {
      const [sentence, ...others] = sentences({ [name]: value });
      expect(others).toEqual([]);
      expect(sentence).toMatch(new RegExp(`^${name} must be .+\\.$`));
      expect(sentence).not.toContain('secret');
    },
  );

  it.each([
    ['CHAIN_ID', '0'],
    ['RPC_URL', 'https://one.example/key,ftp://two.example'],
    ['CONTRACT_ADDRESS', '0x1234'],
    ['START_BLOCK', '-3'],
    ['RPC_WS_URL', 'https://one.example/key'],
    ['RPC_REQUESTS_PER_SECOND', '19'],
  ])('names only %s if it is the bad one of the chain variables', (name, value) => {
    const found = sentences({ ...chain, [name]: value });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${name}.* must be .+\\.$`));
    expect(found[0]).not.toContain('key');
  });

  it('reports everything that is wrong together', () => {
    expect(sentences({ PORT: 'x', WORKERS: 'y', CHAIN_ID: 'z' })).toHaveLength(6);
  });
});

it('passes none of its variables to an unknown program', () => {
  const source = { PATH: '/bin', PORT: '1', DATABASE_URL: 'postgres://', KEEPER_PRIVATE_KEY: '0x' };
  expect(inheritedEnv(undefined, source)).toEqual({ PATH: '/bin' });
});

it('gives each program the variables that it reads, and the keeper key to workers only', () => {
  const source = {
    PATH: '/bin',
    DATABASE_URL: 'postgres://',
    KEEPER_PRIVATE_KEY: '0x',
    SECRET: 's',
  };
  const inherited = (program: Program) => Object.keys(inheritedEnv(program, source));
  expect(inherited('worker')).toEqual(['PATH', 'DATABASE_URL', 'KEEPER_PRIVATE_KEY', 'SECRET']);
  expect(inherited('api')).toEqual(['PATH', 'DATABASE_URL', 'SECRET']);
  expect(secretsOf({ DATABASE_URL: 'postgres://', PORT: '1' })).toEqual(['postgres://']);
});

it('declares each variable once, with a default that parses', () => {
  const names = allVariables.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { schema, default: value, name } of allVariables) {
    if (value !== undefined) expect(schema.safeParse(value).success, name).toBe(true);
  }
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

describe('readDeployerEnv', () => {
  it('reads the key, and ignores a chain that is not complete yet', () => {
    const key = `0x${'ab'.repeat(32)}`;
    expect(readDeployerEnv({ RPC_URL: chain.RPC_URL, DEPLOYER_PRIVATE_KEY: key })).toEqual({
      deployerPrivateKey: key,
      keystorePassword: undefined,
      confirmations: undefined,
    });
    expect(() => readDeployerEnv({ DEPLOYER_PRIVATE_KEY: 'ab' })).toThrow(ConfigError);
    expect(readDeployerEnv({ CONFIRMATIONS: '16' }).confirmations).toBe(16);
    expect(() => readDeployerEnv({ CONFIRMATIONS: '0' })).toThrow(ConfigError);
  });
});
