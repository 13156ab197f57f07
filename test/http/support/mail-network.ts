import { expect } from 'vitest';
import { type MailKind, mailKinds } from '../../../engine/core/notification.ts';
import { MailDispatcher } from '../../../engine/jobs/mail/dispatch.ts';
import { MailSender } from '../../../engine/jobs/mail/send.ts';
import { publishEvents } from '../../../engine/jobs/webhooks/publish.ts';
import { MailServer, type TakenMail } from '../../support/mail-server.ts';
import { ApiFixture, CHAIN_ID } from './api-fixture.ts';

/** The API with e-mail, over a real mail server and a clock that the test sets. */
export class MailNetwork {
  /** Unix milliseconds. */
  now = Date.UTC(2026, 0, 2);

  private constructor(
    readonly server: MailServer,
    /** Opened by `open`, because it reads the clock of this. */
    public fixture: ApiFixture,
  ) {}

  static async open(): Promise<MailNetwork> {
    const clock = { read: () => 0 };
    const server = await MailServer.start();
    const fixture = await ApiFixture.open({
      enabled: new Set(['notifications', 'webhooks']),
      clock: () => clock.read(),
    });
    const network = new MailNetwork(server, fixture);
    clock.read = () => network.now;
    return network;
  }

  get pool() {
    return this.fixture.pool;
  }

  /** Mails to an address, in the order in which they came. */
  to(address: string): TakenMail[] {
    return this.server.taken.filter(({ to }) => to.includes(address));
  }

  /** Makes notifications of everything that has happened. */
  async publish(): Promise<void> {
    const { deployment, publicUrl, logger } = this.fixture.deps;
    const clock = () => this.now;
    const context = {
      pool: this.pool,
      deployment: { ...deployment, publicUrl },
      clock,
      log: logger,
    };
    while (await publishEvents(context));
  }

  /** A process that makes and sends mails. */
  dispatcher(sender: Pick<MailSender, 'send'> = this.sender()): MailDispatcher {
    const { keys, publicUrl, logger } = this.fixture.deps;
    return new MailDispatcher({
      ...{ pool: this.pool, keys, sender, chainId: CHAIN_ID, publicUrl, log: logger },
      clock: () => this.now,
      random: () => 0.5,
    });
  }

  /** @param allMs milliseconds that a mail may take. */
  sender(allMs = 30_000): MailSender {
    return new MailSender({ url: this.server.url(), from: 'notices@shop.example' }, allMs);
  }

  /** Sends what is due at this moment, without the pauses of a process that goes on. */
  async send(): Promise<void> {
    for (;;) {
      const dispatcher = this.dispatcher();
      if ((await dispatcher.begin()) === 0) return;
      await dispatcher.idle();
    }
  }

  async drain(): Promise<void> {
    await this.publish();
    await this.send();
  }

  /** Calls every block safe that is settled. */
  async makeSafe(): Promise<void> {
    await this.pool`update ledger.head set safe_number = settled_number`;
  }

  /** Confirms an address for an account, as its owner does. */
  async confirm(account: `0x${string}`, email: string, kinds: readonly MailKind[] = mailKinds) {
    const client = await this.fixture.signingClientAs(account);
    await client.notifications.setPreferences({ email, kinds: [...kinds] });
    await this.send();
    await this.press('confirm', tokenIn(this.to(email.toLowerCase()).at(-1), 'confirm'));
    const { data } = await client.notifications.preferences({});
    expect(data.status).toBe('confirmed');
    this.server.taken.length = 0;
    return client;
  }

  /** Presses the button of a page behind a link of a mail. @returns the page that is shown then. */
  async press(page: 'confirm' | 'unsubscribe', token: string): Promise<string> {
    const link = `/mail/${page}?token=${token}`;
    const response = await this.fixture.app().request(link, { method: 'POST' });
    expect(response.status).toBe(200);
    return await response.text();
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.fixture.close();
  }
}

/** Token of a link in a mail. */
export function tokenIn(mail: TakenMail | undefined, page: 'confirm' | 'unsubscribe'): string {
  const found = new RegExp(`/mail/${page}\\?token=([A-Za-z0-9_-]{43})\\b`).exec(
    mail?.parsed.text ?? '',
  );
  if (found?.[1] === undefined) throw new Error(`The mail has no link to ${page}.`);
  return found[1];
}
