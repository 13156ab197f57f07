import { out } from './output.ts';
/** Stops the parts of a command in reverse order, even if some of them fail. */
export class Teardown {
  readonly #steps: { name: string; stop: () => Promise<unknown> }[] = [];

  /** Does work that adds parts, and stops them when it ends or fails. */
  static async after(work: (teardown: Teardown) => Promise<void>): Promise<void> {
    const teardown = new Teardown();
    try {
      await work(teardown);
    } finally {
      await teardown.run();
    }
  }

  /** Adds a part. @param name names it in the message if it does not stop. */
  add(name: string, stop: () => Promise<unknown>): void {
    this.#steps.push({ name, stop });
  }

  /** Stops all parts; a second call does nothing. */
  async run(): Promise<void> {
    for (const { name, stop } of this.#steps.splice(0).reverse()) {
      await stop().catch((error: unknown) => out.error(`${name} did not stop: ${error}`));
    }
  }
}
