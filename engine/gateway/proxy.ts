import { OutgoingMessage } from 'node:http';
import { finished, PassThrough, Readable, Transform, type TransformCallback } from 'node:stream';
import type { Context } from 'hono';
import { HttpError, invalidField, notFound, notReady } from '../http/errors.ts';
import { NoAnswer } from './answers.ts';
import { type Deployment, type PassedKind, REFUSED } from './deployment.ts';
import type { Directory } from './directory.ts';
import { type ClientFacts, type Passing, passedHeaders, returnedHeaders } from './headers.ts';

/** Bytes of the longest body that is passed on: an upload of 10 MiB, and its form. */
const MAX_BODY_BYTES = 11 * 1024 * 1024;

/**
 * Bytes of a body that must have arrived before the deployment gets the request, unless the body is shorter: as many as
 * a deployment reads of any request but an upload.
 */
const AWAITED_BYTES = 64 * 1024;

/** `/d/<chainId>/<contract>/…`; without the contract if the chain has only one here. */
const ROUTE =
  /^\/d\/([1-9][0-9]{0,15})(?:\/(0x[0-9a-fA-F]{40}))?(\/(?:v1|media|downloads|reports)\/.*)$/;

/** Deployment and path that a request under `/d/` names. */
export interface Route {
  readonly deployment: Deployment;
  /** Path of the deployment, with the query. */
  readonly path: string;
}

/**
 * Finds the deployment of a request.
 * @throws {HttpError} NOT_FOUND if there is none, NOT_READY if it may be one that has not answered yet.
 */
export function routeOf(directory: Directory, url: string): Route {
  const { pathname, search } = new URL(url);
  const [, chainId, contract, path = ''] = ROUTE.exec(pathname) ?? [];
  if (chainId === undefined) throw notFound(`There is no route ${pathname}.`);
  const deployment = deploymentOf(directory, Number(chainId), contract?.toLowerCase());
  return { deployment, path: `${path}${search}` };
}

/**
 * The deployment of a chain, and of a contract if the chain has several.
 * @throws {HttpError} NOT_FOUND if there is none, or several; NOT_READY if it may be one that has not answered yet.
 */
export function deploymentOf(directory: Directory, chainId: number, contract?: string): Deployment {
  const [found, ...others] = directory.find(chainId, contract);
  const wanted = contract === undefined ? `chain ${chainId}` : `${chainId}/${contract}`;
  if (others.length > 0) {
    throw notFound(`There are several contracts on ${wanted}: use /d/${chainId}/<contract>/v1/….`);
  }
  if (found !== undefined) return found;
  const [unidentified] = directory.unidentified;
  if (unidentified === undefined) throw notFound(`No deployment of ${wanted} is served here.`);
  throw notReady(
    unidentified.name,
    `${unidentified.name} has not answered yet, and may be the one of ${wanted}: try again.`,
  );
}

/**
 * Passes a request on to its deployment, and the response back, both as streams. It takes a connection of the deployment
 * only once its body has arrived, or the beginning of a long one, so that the deployment can count and answer it. From the
 * start until the response has ended, it counts for the address of its client.
 * @param body text of the body if it was read already.
 * @throws {HttpError} NOT_READY if the deployment does not answer; INTERNAL if it is unknown whether a write took effect;
 *   RATE_LIMITED if too many requests of the address are running.
 */
export async function passOn(
  c: Context,
  { deployment, path }: Route,
  client: ClientFacts,
  body?: string,
): Promise<Response> {
  const { name, identity, isDeclared } = deployment;
  if (identity === undefined) throw notReady(name, `${name} has not answered yet: try again.`);
  const { method } = c.req;
  const passing = { identity, isDeclared };
  if (!isDeclared) requireHarmless(name, method, path);
  const isStream = method === 'GET' && /^\/v1\/stream(?:\?|$)/.test(path);
  const kind: PassedKind = isStream ? 'stream' : 'request';
  // A stream has no body, so its deployment gets it immediately, and counts the streams of each address.
  const release = isStream ? () => {} : deployment.admit(client.address);
  let upload: Upload | undefined;
  let response: PassedResponse | undefined;
  try {
    upload = body === undefined ? uploadOf(c) : undefined;
    await upload?.begun;
    response = await deployment.pass(kind, {
      path,
      method,
      headers: passedHeaders(passing, c.req.raw.headers, client),
      body: body ?? upload ?? null,
      signal: c.req.raw.signal,
    });
    finished(response.body, release);
    requireNoRedirect(name, response.statusCode);
    return responseTo(c, passing, response);
  } catch (error) {
    upload?.destroy();
    if (response === undefined) release();
    else response.body.destroy();
    throw failureOf(error, deployment, method);
  }
}

/** Methods that change nothing. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what would show a secret to a deployment whose identity is not declared: a write can have a signature, and a
 * link to a file opens it.
 * @throws {HttpError} FORBIDDEN.
 */
function requireHarmless(name: string, method: string, path: string): void {
  const hasToken = /^\/(?:downloads|reports)\//.test(path);
  if (READS.has(method) && !hasToken) return;
  throw new HttpError(
    'FORBIDDEN',
    `${name} is not declared in DEPLOYMENTS, so this gateway passes only reads on to it, without credentials: write ${name}= before its URL.`,
  );
}

/** @throws {HttpError} NOT_READY for a redirect: no deployment sends one, and this origin must lead to no other site. */
function requireNoRedirect(name: string, status: number): void {
  if (status < 300 || status > 399 || status === 304) return;
  throw notReady(name, `${name} answered with a redirect, which is not passed on.`);
}

type PassedResponse = Awaited<ReturnType<Deployment['pass']>>;

function responseTo(
  c: Context,
  passing: Passing,
  { statusCode, headers, body }: PassedResponse,
): Response {
  const isEmpty = c.req.method === 'HEAD' || [204, 304].includes(statusCode);
  if (isEmpty) body.resume();
  return new Response(isEmpty ? null : streamOf(c.env, body), {
    status: statusCode,
    headers: returnedHeaders(passing, headers),
  });
}

/** Body of a response as a stream for the client. If bytes are missing at its end, the connection is cut. */
function streamOf(env: unknown, body: Readable): ReadableStream<Uint8Array> {
  const through = new PassThrough();
  body.on('error', (error: unknown) => {
    // A client that left, and a gateway that stops, end a stream: the reason need not be an error.
    if (error instanceof Error && !isAborted(error)) cut(env);
    through.end();
  });
  through.once('close', () => body.destroy());
  // Node's own type of the same web stream.
  return Readable.toWeb(body.pipe(through)) as ReadableStream<Uint8Array>;
}

function isAborted(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_ABORTED';
}

/** Closes a connection in the middle of a response, which is the only way to show that bytes are missing. */
function cut(env: unknown): void {
  const outgoing: unknown =
    typeof env === 'object' && env !== null ? Reflect.get(env, 'outgoing') : undefined;
  if (outgoing instanceof OutgoingMessage) outgoing.destroy();
}

/** Body of a request as a stream, which fails if it is too long; `undefined` if the request has none. */
function uploadOf(c: Context): Upload | undefined {
  const { body } = c.req.raw;
  if (body === null || c.req.method === 'GET' || c.req.method === 'HEAD') return undefined;
  if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  // The web type of the DOM library, and Node's own type of the same stream.
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const upload = new Upload();
  source.once('error', () => upload.destroy(invalidField('', 'the body did not arrive')));
  return source.pipe(upload);
}

/** Body that is passed on. It reads `AWAITED_BYTES` in advance. */
class Upload extends Transform {
  /** Resolves when all of the body, or `AWAITED_BYTES` of it, have arrived. */
  readonly begun: Promise<void>;
  #bytes = 0;

  constructor() {
    super({ readableHighWaterMark: AWAITED_BYTES });
    this.begun = new Promise((resolve, reject) => {
      this.once('begun', resolve);
      finished(this, { readable: false }, (error) => (error ? reject(error) : resolve()));
    });
    // It may fail after the request has been answered.
    this.begun.catch(() => {});
  }

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > MAX_BODY_BYTES) {
      done(tooLarge());
      return;
    }
    if (this.#bytes >= AWAITED_BYTES) this.emit('begun');
    done(null, chunk);
  }
}

function tooLarge(): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `A body may have at most ${MAX_BODY_BYTES} bytes.`);
}

/** Codes of errors after which a deployment has got nothing of the request. */
const NOT_SENT: ReadonlySet<unknown> = new Set([...REFUSED, 'UND_ERR_CONNECT_TIMEOUT']);

function failureOf(error: unknown, { name }: Deployment, method: string): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof NoAnswer) return notReady(name, `${name}: ${error.message}`);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  if (isRead || NOT_SENT.has(code))
    return notReady(name, `${name}: The deployment does not answer.`);
  return new HttpError(
    'INTERNAL',
    `${name} did not answer, so it is unknown whether this write took effect: read before you repeat it.`,
  );
}
