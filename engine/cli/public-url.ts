import type { Env } from '../env.ts';

/** Origins at which the API is reached, the public one first; none if it listens on another address than loopback. */
export function ownOrigins({
  publicUrl,
  host,
  port,
}: Pick<Env, 'publicUrl' | 'host' | 'port'>): string[] {
  if (publicUrl !== undefined) return [publicUrl];
  const loopback = host === '127.0.0.1' || host === 'localhost';
  return loopback ? [`http://127.0.0.1:${port}`, `http://localhost:${port}`] : [];
}

/** Origin of the API in links that it returns and sends. */
export function publicUrlOf(env: Pick<Env, 'publicUrl' | 'host' | 'port'>): string {
  return ownOrigins(env)[0] ?? `http://${env.host}:${env.port}`;
}
