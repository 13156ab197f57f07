import { rpcTraits, type TraitName, traitNames } from '../../support/rpc-traits/index.ts';
import type {
  Ask,
  Behaviour,
  HttpAnswer,
  RpcAnswer,
  RpcRequest,
  Trait,
} from '../../support/rpc-traits/trait.ts';
import type { Dice } from '../dice.ts';

/** Traits that the simulator plays: those that it can tell from a fault of its own. */
const simulated = traitNames.filter((name) => sharesOf(name).length > 0);

function sharesOf(name: TraitName): readonly number[] {
  const { simulated: shares = [100] }: Trait = rpcTraits[name];
  return shares;
}

interface Played {
  readonly name: TraitName;
  /** Share of the requests that it hits. */
  readonly percent: number;
  readonly behaviour: Behaviour;
}

/** Traits that an RPC has together, each for a share of its requests. */
export class Provider {
  /** Answers that a trait has changed, by its name. */
  readonly hits = new Map<TraitName, number>();
  readonly #traits: readonly Played[];

  constructor(
    names: readonly TraitName[],
    private readonly dice: Dice,
  ) {
    this.#traits = names.map((name) => {
      const { forms }: Trait = rpcTraits[name];
      const begin = dice.pick(Object.values(forms) as [() => Behaviour]);
      const percent = dice.pick(sharesOf(name) as [number]);
      return { name, percent, behaviour: begin() };
    });
  }

  /**
   * Some traits that the dice pick, up to four.
   * @param without traits that are not among them.
   */
  static picked(dice: Dice, without: readonly TraitName[] = []): Provider {
    const names = simulated.filter((name) => !without.includes(name));
    return new Provider(dice.shuffled(names).slice(0, dice.between(1, 4)), dice);
  }

  /** The HTTP response in place of the RPC's, if a trait gives one. */
  http(requests: readonly RpcRequest[]): HttpAnswer | undefined {
    for (const { name, behaviour } of this.#hitting()) {
      const answer = behaviour.http?.(requests, undefined);
      if (answer !== undefined) return this.#hit(name, answer);
    }
    return undefined;
  }

  /** The answer to a request. @param ask asks the RPC itself. */
  async answer(request: RpcRequest, ask: Ask): Promise<RpcAnswer> {
    const asked = this.#hitting().reduce<Ask>((inner, { name, behaviour }) => {
      const { answer } = behaviour;
      return answer === undefined
        ? inner
        : async (one) => {
            let own: RpcAnswer | undefined;
            const result = await answer(one, async (other) => {
              own = await inner(other);
              return own;
            });
            return result === own ? result : this.#hit(name, result);
          };
    }, ask);
    return { jsonrpc: '2.0', ...(await asked(request)) } as RpcAnswer;
  }

  /** The text of a response to one request, or to a batch. */
  text(answers: readonly RpcAnswer[], isBatch: boolean): string {
    let all: unknown = answers;
    let isCut = false;
    for (const { name, behaviour } of this.#hitting()) {
      if (behaviour.batch !== undefined && answers.length > 1) {
        all = this.#hit(name, behaviour.batch(all as readonly RpcAnswer[]));
      }
      if (behaviour.body === 'cut') isCut = this.#hit(name, true);
    }
    const text = JSON.stringify(isBatch ? all : answers[0]);
    return isCut ? text.slice(0, text.length / 2) : text;
  }

  #hitting(): readonly Played[] {
    return this.#traits.filter(({ percent }) => this.dice.chance(percent));
  }

  #hit<T>(name: TraitName, value: T): T {
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
    return value;
  }
}
