import pino from 'pino';
import type { GatewayDeps } from '../../engine/gateway/app.ts';
import type { DeploymentLimits } from '../../engine/gateway/deployment.ts';
import { Directory } from '../../engine/gateway/directory.ts';
import type { Target } from '../../engine/gateway/identity.ts';
import { type GatewayServer, serveGateway } from '../../engine/gateway/serve.ts';

/** A gateway on a free port, with short time limits. */
export class GatewayFixture {
  private constructor(
    readonly directory: Directory,
    readonly server: GatewayServer,
  ) {}

  static async open(
    targets: readonly (string | Target)[],
    {
      limits = {},
      ...changes
    }: { limits?: Partial<DeploymentLimits> } & Partial<
      Pick<GatewayDeps, 'perMinute' | 'trustedProxies'>
    > = {},
  ): Promise<GatewayFixture> {
    const logger = pino({ level: 'silent' });
    const directory = await Directory.open(
      targets.map((one) => (typeof one === 'string' ? { url: one, identity: undefined } : one)),
      { logger, limits: { deadlineMs: 2_000, ...limits }, checkMs: 100, awayCheckMs: 100 },
    );
    const server = await serveGateway({
      port: 0,
      host: '127.0.0.1',
      directory,
      logger,
      allowedOrigins: ['https://shop.example'],
      trustedProxies: 0,
      perMinute: 10_000,
      ...changes,
    });
    return new GatewayFixture(directory, server);
  }

  get url(): string {
    return this.server.url;
  }

  /** Status and JSON of a GET. */
  async get(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.url}${path}`, { headers });
    const body = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, body };
  }

  async close(): Promise<void> {
    await this.server.stop();
  }
}
