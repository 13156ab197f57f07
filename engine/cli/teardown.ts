/** Undoes what a command brought up, in reverse order, whatever fails on the way. */
export class Teardown {
  readonly #steps: { name: string; stop: () => Promise<unknown> }[] = [];

  /** @param name the part, for the message if it does not stop. */
  add(name: string, stop: () => Promise<unknown>): void {
    this.#steps.push({ name, stop });
  }

  async run(): Promise<void> {
    for (const { name, stop } of this.#steps.splice(0).reverse()) {
      await stop().catch((error: unknown) => console.error(`${name} did not stop: ${error}`));
    }
  }
}
