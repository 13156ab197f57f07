import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An object storage in memory, and what it holds by path: bucket and key. */
export interface Bucket {
  readonly server: Server;
  readonly objects: Map<string, Buffer>;
  readonly endpoint: string;
}

/** Objects of one page of a list: few, so that lists have several pages. */
const PAGE = 10;

/** As much of S3 as our storage speaks: objects by path, signed by whom we are. */
export async function startBucket(): Promise<Bucket> {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://s3.test');
    const body = await buffer(request);
    if (!request.headers.authorization?.includes('Credential=the-key/')) {
      return response.writeHead(403).end();
    }
    if (request.headers['content-encoding'] === 'aws-chunked') return response.writeHead(501).end();
    if (url.searchParams.get('list-type') === '2') return list(objects, url, response);
    return answer(objects, request, decodeURIComponent(url.pathname), body, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the bucket has no port');
  return { server, objects, endpoint: `http://127.0.0.1:${address.port}` };
}

function answer(
  objects: Map<string, Buffer>,
  { method }: IncomingMessage,
  path: string,
  body: Buffer,
  response: ServerResponse,
): void {
  if (method === 'PUT') {
    objects.set(path, body);
    response.writeHead(200, { etag: '"1"' }).end();
    return;
  }
  const found = objects.get(path);
  if (method === 'DELETE') {
    objects.delete(path);
    response.writeHead(204).end();
    return;
  }
  if (found === undefined) {
    const code = '<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>';
    response.writeHead(404, { 'content-type': 'application/xml' }).end(code);
    return;
  }
  const headers = {
    'content-length': found.length,
    etag: '"1"',
    'last-modified': new Date().toUTCString(),
  };
  response.writeHead(200, headers).end(method === 'HEAD' ? undefined : found);
}

/** `ListObjectsV2`, in pages. */
function list(objects: ReadonlyMap<string, Buffer>, url: URL, response: ServerResponse): void {
  const root = `${decodeURIComponent(url.pathname).replace(/\/$/, '')}/`;
  const prefix = url.searchParams.get('prefix') ?? '';
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((path) => path.startsWith(root + prefix))
    .map((path) => path.slice(root.length))
    .sort()
    .filter((key) => key > after);
  const page = keys.slice(0, PAGE);
  const more = keys.length > PAGE;
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
  const token = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(
      `<ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`,
    );
}
