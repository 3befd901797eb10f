-- W3C traceparent under which a message was enqueued or an import was accepted; workers continue
-- that trace.
alter table admin.outbox add column traceparent text;
alter table imports.outbox add column traceparent text;
alter table text.outbox add column traceparent text;
alter table imports.import add column traceparent text;
