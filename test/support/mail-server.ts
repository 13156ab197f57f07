import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** Moment at which a server refuses a mail. */
type Moment = 'connect' | 'sender' | 'recipient' | 'message';

/** What a mail server does with a mail: takes it, refuses it with an answer, or is silent from a moment on. */
export type MailBehaviour =
  | 'takes'
  | { readonly refuses: Moment; readonly code: number }
  | { readonly hangsAt: Moment };

/** A mail that a server took. */
export interface TakenMail {
  readonly from: string;
  /** Recipients of the envelope. */
  readonly to: readonly string[];
  readonly raw: string;
  readonly parsed: ParsedMail;
}

/** A real mail server on loopback, which does with the nth mail what `behave` says, counted from 0. */
export class MailServer {
  readonly taken: TakenMail[] = [];
  behave: (mail: number) => MailBehaviour = () => 'takes';
  /** Connections that it got. */
  connections = 0;
  readonly #smtp: SMTPServer;
  readonly port: number;

  private constructor(smtp: SMTPServer, port: number) {
    this.#smtp = smtp;
    this.port = port;
  }

  /** @param password what the user `tributary` must log in with; without it the server takes mail without a login. */
  static async start(password?: string): Promise<MailServer> {
    let own: MailServer | undefined;
    const at = (moment: Moment, callback: (error?: Error | null) => void): void => {
      const behaviour = own?.behave(own.connections - 1) ?? 'takes';
      if (behaviour === 'takes') callback();
      else if ('hangsAt' in behaviour) {
        if (behaviour.hangsAt !== moment) callback();
      } else if (behaviour.refuses === moment) {
        const { code } = behaviour;
        callback(Object.assign(new Error('No, says the server.'), { responseCode: code }));
      } else callback();
    };
    const smtp = new SMTPServer({
      authOptional: password === undefined,
      allowInsecureAuth: true,
      disabledCommands: password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onAuth: (auth, _session, callback) => {
        const isRight = auth.username === 'tributary' && auth.password === password;
        callback(isRight ? null : new Error('Wrong password.'), { user: 'tributary' });
      },
      onConnect: (_session, callback) => {
        if (own) own.connections += 1;
        at('connect', callback);
      },
      onMailFrom: (_address, _session, callback) => at('sender', callback),
      onRcptTo: (_address, _session, callback) => at('recipient', callback),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          at('message', (error) => {
            if (error) return callback(error);
            const { mailFrom, rcptTo } = session.envelope;
            const raw = Buffer.concat(chunks).toString();
            simpleParser(raw).then((parsed) => {
              own?.taken.push({
                from: mailFrom ? mailFrom.address : '',
                to: rcptTo.map(({ address }) => address),
                raw,
                parsed,
              });
              callback();
            }, callback);
          });
        });
      },
    });
    smtp.on('error', () => {});
    const listening: Server = smtp.listen(0, '127.0.0.1');
    if (!listening.listening) await once(listening, 'listening');
    own = new MailServer(smtp, (listening.address() as AddressInfo).port);
    return own;
  }

  url(userInfo = ''): string {
    return `smtp://${userInfo}127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const connection of this.#smtp.connections) connection.close();
    await new Promise<void>((resolve) => this.#smtp.close(() => resolve()));
  }
}
