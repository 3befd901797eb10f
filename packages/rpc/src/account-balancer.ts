import { connectivityState, experimental, type ChannelOptions } from '@grpc/grpc-js';
import { ACCOUNT } from './call-context.ts';
import { hash } from 'node:crypto';

/** Name of the load balancing policy that sends all calls of an account to one instance. */
export const BY_ACCOUNT = 'account_rendezvous';

const { IDLE, CONNECTING, READY, TRANSIENT_FAILURE } = connectivityState;
// A new client waits this long for all instances: an account whose instance connects last would be
// loaded by another one.
const CONNECTS_WITHIN_MS = 1_000;

interface Pod {
  readonly name: string;
  readonly leaf: experimental.LeafLoadBalancer;
  calls: number;
}

class Config implements experimental.TypedLoadBalancingConfig {
  static createFromJson = (): Config => new Config();
  getLoadBalancerName = (): string => BY_ACCOUNT;
  toJsonObject = (): object => ({ [BY_ACCOUNT]: {} });
}

/** Connects to all instances, as round_robin does, and picks among those that are connected. */
class AccountBalancer implements experimental.LoadBalancer {
  readonly #channel: experimental.ChannelControlHelper;
  readonly #pods = new Map<string, Pod>();
  #connecting: NodeJS.Timeout | undefined;
  #isConnecting = true;
  #isUpdating = false;
  #lastError = 'no address';

  constructor(channel: experimental.ChannelControlHelper) {
    this.#channel = channel;
  }

  updateAddressList(
    endpoints: experimental.StatusOr<experimental.Endpoint[]>,
    _config: unknown,
    options: ChannelOptions,
    note: string,
  ): boolean {
    if (!endpoints.ok) {
      this.#lastError = endpoints.error.details;
      if (this.#pods.size === 0) this.#report();
      return true;
    }
    this.#connecting ??= setTimeout(() => this.#connected(), CONNECTS_WITHIN_MS).unref();
    this.#isUpdating = true;
    const resolved = new Map(endpoints.value.map((endpoint) => [experimental.endpointToString(endpoint), endpoint]));
    for (const [name, { leaf }] of this.#pods) {
      if (resolved.has(name)) continue;
      leaf.destroy();
      this.#pods.delete(name);
    }
    for (const [name, endpoint] of resolved) if (!this.#pods.has(name)) this.#add(name, endpoint, options, note);
    this.#isUpdating = false;
    this.#report();
    return resolved.size > 0;
  }

  #add(name: string, endpoint: experimental.Endpoint, options: ChannelOptions, note: string): void {
    const channel = experimental.createChildChannelControlHelper(this.#channel, {
      updateState: (state, _picker, error) => {
        if (error !== null) this.#lastError = error;
        // The instance may have been replaced by one with another address.
        if (state !== READY && !this.#isConnecting) this.#channel.requestReresolution();
        this.#report();
      },
    });
    const leaf = new experimental.LeafLoadBalancer(endpoint, channel, options, note);
    this.#pods.set(name, { name, leaf, calls: 0 });
    leaf.startConnecting();
  }

  #connected(): void {
    this.#isConnecting = false;
    this.#report();
  }

  #report(): void {
    if (this.#isUpdating) return;
    const pods = [...this.#pods.values()];
    const inState = (state: connectivityState): Pod[] => pods.filter(({ leaf }) => leaf.getConnectivityState() === state);
    const [ready, idle] = [inState(READY), inState(IDLE)];
    const isPending = idle.length + inState(CONNECTING).length > 0;
    if (ready.length > 0 && !(isPending && this.#isConnecting)) {
      this.#isConnecting = false;
      this.#channel.updateState(READY, { pick: (args) => pick(ready, args) }, null);
    } else if (isPending) {
      this.#channel.updateState(CONNECTING, new experimental.QueuePicker(this), null);
    } else {
      const details = `no instance is connected: ${this.#lastError}`;
      this.#channel.updateState(TRANSIENT_FAILURE, new experimental.UnavailablePicker({ details }), details);
    }
    for (const { leaf } of idle) leaf.exitIdle();
  }

  // All instances are connected at all times.
  exitIdle(): void {}
  resetBackoff(): void {}

  destroy(): void {
    clearTimeout(this.#connecting);
    for (const { leaf } of this.#pods.values()) leaf.destroy();
    this.#pods.clear();
  }

  getTypeName(): string {
    return BY_ACCOUNT;
  }
}

// A call without an account goes to any instance.
function pick(ready: readonly Pod[], args: experimental.PickArgs): experimental.PickResult {
  const pod = chooseInstance(String(args.metadata.get(ACCOUNT)[0] ?? Math.random()), ready);
  if (pod === undefined) throw new Error('expected a connected instance');
  const picked = pod.leaf.getPicker().pick(args);
  const counted = {
    onCallStarted: () => {
      pod.calls += 1;
    },
    onCallEnded: () => {
      pod.calls -= 1;
    },
  };
  return picked.pickResultType === experimental.PickResultType.COMPLETE ? { ...picked, ...counted } : picked;
}

experimental.registerLoadBalancerType(BY_ACCOUNT, AccountBalancer, Config);

interface Instance {
  readonly name: string;
  /** Calls that have not ended. */
  readonly calls: number;
}

// Instances that are not busy keep their keys, however unequal their load.
const MIN_CALLS = 16;
const MAX_CALLS_OVER_MEAN = 1.25;

/**
 * Returns the instance of a key by rendezvous hashing. The same names give the same instance in
 * every process; another name moves only the keys of one instance. An instance with 16 calls, and
 * 25 % more than the mean, is skipped. Undefined without instances.
 */
export function chooseInstance<I extends Instance>(key: string, instances: readonly I[]): I | undefined {
  const calls = instances.reduce((sum, instance) => sum + instance.calls, 1);
  const maxCalls = Math.max(MIN_CALLS, (MAX_CALLS_OVER_MEAN * calls) / instances.length);
  const [first] = instances
    .filter((instance) => instance.calls < maxCalls)
    .map((instance) => ({ instance, weight: hash('sha256', `${key} ${instance.name}`) }))
    .toSorted((a, b) => (a.weight < b.weight ? 1 : -1));
  return first?.instance;
}
