import type { ChannelOptions } from '@grpc/grpc-js';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

// grpc-js receives 4 MiB by default: a page of 1,000 employees with 60 attributes is larger (rule
// LISTS-LIMIT-3).
export const CHANNEL_LIMITS: ChannelOptions = {
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // The HTTP/2 default of 64 KiB costs half of the throughput of 70 KB pages.
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
  'grpc.enable_channelz': 0,
  // Otherwise http_proxy in the environment sends calls between our own services through the
  // company's proxy.
  'grpc.enable_http_proxy': 0,
  'grpc.keepalive_time_ms': 10_000,
  // A server whose event loop stands still for a few seconds, such as under hundreds of uploads,
  // keeps its connections and their calls.
  'grpc.keepalive_timeout_ms': 5_000,
};

// The default waits up to 2 minutes before it tries a service again that was away for long, and 30
// s before it asks DNS again.
export const RECONNECT: ChannelOptions = {
  // Shared subchannels would keep the old connections of a client that is renewed.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
};
