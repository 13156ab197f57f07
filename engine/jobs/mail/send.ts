import { createTransport, type Transporter } from 'nodemailer';
import { plainText } from '../../core/plain-text.ts';

/** How mails are sent. */
export interface MailServer {
  /** `smtp:` or `smtps:` URL, with user name and password if the server wants them. */
  readonly url: string;
  /** Address of the sender. */
  readonly from: string;
}

/** A mail to send. */
export interface OutgoingMail {
  /** Id that is the same for each attempt, so that a mailbox can drop a second copy. */
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  /** Lines of its text. */
  readonly lines: readonly string[];
  /** URL that stops further mails by a POST (RFC 8058). */
  readonly unsubscribe: string;
}

/** How sending ended. */
export interface MailOutcome {
  /**
   * `refused`: the server will never take this mail to this address; `failed`: it does not take it now;
   * `unavailable`: no mail can be sent, because the server does not answer or does not let us in.
   */
  readonly kind: 'sent' | 'refused' | 'failed' | 'unavailable';
  /** SMTP answer; `null` if there was none. */
  readonly code: number | null;
}

/** Milliseconds that parts of a sending may take. */
const TIMES = { connect: 10_000, greeting: 10_000, silence: 20_000, all: 45_000 } as const;

/** Commands to which an answer is about the recipient or the mail, and not about the server or our account there. */
const ABOUT_THE_MAIL: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);

/** Sends mails, each on its own connection. */
export class MailSender {
  readonly #transport: Transporter;
  readonly #allMs: number;

  /** @param allMs milliseconds that one mail may take. */
  constructor({ url, from }: MailServer, allMs: number = TIMES.all) {
    const { protocol, hostname, port, username, password } = new URL(url);
    const secure = protocol === 'smtps:';
    const host = hostname.replace(/^\[|\]$/g, '');
    this.#allMs = allMs;
    this.#transport = createTransport(
      {
        host,
        port: port === '' ? (secure ? 465 : 587) : Number(port),
        secure,
        // A password must not travel in the open, even if somebody in between hides STARTTLS.
        requireTLS: username !== '' && !isLoopback(host),
        ...(username !== '' && {
          auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
        }),
        connectionTimeout: TIMES.connect,
        greetingTimeout: TIMES.greeting,
        dnsTimeout: TIMES.connect,
        socketTimeout: TIMES.silence,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from: { name: 'Tributary', address: from } },
    );
  }

  /** Sends a mail. It never throws. */
  async send({ messageId, to, subject, lines, unsubscribe }: OutgoingMail): Promise<MailOutcome> {
    try {
      const { response } = await this.#transport.sendMail({
        messageId,
        // As an object, so that no comma or bracket of it is read as another recipient.
        to: { name: '', address: to },
        // The symbol of a token, for example, must neither hide nor begin a header or line.
        subject: plainText(subject),
        text: lines.map((line) => `${plainText(line)}\n`).join(''),
        headers: {
          'Auto-Submitted': 'auto-generated',
          'List-Unsubscribe': `<${unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
        signal: AbortSignal.timeout(this.#allMs),
      });
      return { kind: 'sent', code: Number.parseInt(String(response), 10) || null };
    } catch (error) {
      return outcomeOf(error);
    }
  }
}

function outcomeOf(error: unknown): MailOutcome {
  const field = (name: string) => (error instanceof Error ? Reflect.get(error, name) : undefined);
  const found: unknown = field('responseCode');
  const code = typeof found === 'number' ? found : null;
  if (code === null || !ABOUT_THE_MAIL.has(field('command'))) return { kind: 'unavailable', code };
  return { kind: code >= 500 ? 'refused' : 'failed', code };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
