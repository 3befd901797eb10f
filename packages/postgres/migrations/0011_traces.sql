-- The trace (W3C traceparent) in which a message was put into the outbox, and an import was
-- accepted: whoever works on it continues that trace.
alter table admin.outbox add column traceparent text;
alter table imports.outbox add column traceparent text;
alter table text.outbox add column traceparent text;
alter table imports.import add column traceparent text;
