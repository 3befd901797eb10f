/** A service as ts-proto generates it. */
export interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

export interface MethodDefinition {
  readonly name: string;
  readonly requestType: MessageType;
  readonly requestStream: boolean;
  readonly responseType: MessageType;
  readonly responseStream: boolean;
  // idempotency_level in proto/: a call of such a method may be repeated.
  readonly options: { readonly idempotencyLevel?: 'IDEMPOTENT' | 'NO_SIDE_EFFECTS' };
}

// Method syntax on purpose: it accepts the codec of any message.
export interface MessageType {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

type RequestOf<M extends MethodDefinition> = ReturnType<M['requestType']['decode']>;
type ResponseOf<M extends MethodDefinition> = ReturnType<M['responseType']['decode']>;

/** The function of a method, for its caller and its handler alike; `C` is the context of one call. */
export type MethodFunction<M extends MethodDefinition, C> = M extends { requestStream: true }
  ? (requests: AsyncIterable<RequestOf<M>>, context: C) => Promise<ResponseOf<M>>
  : M extends { responseStream: true }
    ? (request: RequestOf<M>, context: C) => AsyncIterable<ResponseOf<M>>
    : (request: RequestOf<M>, context: C) => Promise<ResponseOf<M>>;

export const isRepeatable = ({ options }: MethodDefinition): boolean => options.idempotencyLevel !== undefined;
