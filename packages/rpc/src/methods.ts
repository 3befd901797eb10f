/** A service as ts-proto describes it: its methods by name. */
export type ServiceMethods = Readonly<Record<string, MethodShape>>;

// Method syntax on purpose: it accepts methods of any message type.
export interface MethodShape {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  requestSerialize(value: unknown): Buffer;
  requestDeserialize(bytes: Buffer): unknown;
  responseSerialize(value: unknown): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}

export type RequestOf<M extends MethodShape> = ReturnType<M['requestDeserialize']>;
export type ResponseOf<M extends MethodShape> = ReturnType<M['responseDeserialize']>;
