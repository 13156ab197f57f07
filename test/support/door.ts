import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../engine/cli/stack/free-port.ts';

/** A way to the database that a test can shut, or let go silent. */
export class Door {
  readonly #sockets = new Set<Socket>();
  /** Those that lead to the server, which sends its answers on them. */
  readonly #far = new Set<Socket>();
  #server: Server | undefined;
  #silent = false;

  private constructor(
    readonly url: string,
    readonly port: number,
    readonly target: { readonly host: string; readonly port: number },
  ) {}

  /** Opens a port of its own that leads to the server of `databaseUrl`. */
  static async open(databaseUrl: string): Promise<Door> {
    const url = new URL(databaseUrl);
    const target = { host: url.hostname, port: Number(url.port) };
    const port = await freePort();
    url.hostname = '127.0.0.1';
    url.port = String(port);
    const door = new Door(url.href, port, target);
    await door.reopen();
    return door;
  }

  /** Lets connections through, those that were silent included. */
  async reopen(): Promise<void> {
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server !== undefined) return;
    const server = createServer((near) => {
      const far = connect(this.target.port, this.target.host);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        if (socket === far) this.#far.add(socket);
        if (this.#silent) socket.pause();
        socket.on('data', (chunk) => other.write(chunk));
        if (this.#silent) socket.pause();
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          this.#far.delete(socket);
          other.destroy();
        });
      }
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
  }

  /** Cuts all connections, and refuses new ones. */
  async shut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.close();
    for (const socket of this.#sockets) socket.destroy();
    if (server !== undefined) await once(server, 'close');
  }

  /** Takes connections and what is sent, and answers nothing. */
  goSilent(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Keeps the server's answers back on the open connections, and passes on what it is sent. */
  holdAnswers(): void {
    for (const socket of this.#far) socket.pause();
  }
}
