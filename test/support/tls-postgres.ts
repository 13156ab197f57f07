import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPool } from '../../engine/db/connection.ts';
import { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres.ts';
import { testCertificate } from './test-certificate.ts';

/** A server of its own whose certificate is signed by no public authority. */
export interface TlsPostgres extends TemporaryPostgres {
  /** The file of the authority that signed its certificate: the certificate itself. */
  readonly authority: string;
  /** Its URL with parameters added, such as `sslmode=require`. */
  urlWith(parameters: string): string;
}

/** Starts a server that speaks TLS and also plain text. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const server = await startTemporaryPostgres('tls', false);
  const pool = openPool(server.url, { max: 1 });
  const [row] = await pool<
    { folder: string }[]
  >`select setting as folder from pg_settings where name = 'data_directory'`;
  const folder = row?.folder ?? '';
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  const { uid, gid } = await stat(folder);
  for (const part of ['cert', 'key'] as const) {
    await writeFile(files[part], testCertificate[part], { mode: 0o600 });
    await chown(files[part], uid, gid);
  }
  const authority = join(server.dataDir, 'authority.crt');
  await writeFile(authority, testCertificate.cert);
  await pool`alter system set ssl_cert_file = 'tls.crt'`;
  await pool`alter system set ssl_key_file = 'tls.key'`;
  await pool`alter system set ssl = on`;
  await pool`select pg_reload_conf()`;
  await pool.end();
  return {
    ...server,
    authority,
    urlWith: (parameters) => `${server.url}?${parameters}`,
  };
}
