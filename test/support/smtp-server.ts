import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** The fault of one connection, or none. */
export type SmtpFault = 'none' | 'greeting' | 'mail' | 'recipient' | 'data' | 'tarpit' | Cut;
type Cut = 'cut in data' | 'cut before 250' | 'cut after 250';

/** An accepted mail, whether or not the client received the reply. */
interface TakenMail {
  readonly messageId: string;
  readonly recipients: readonly string[];
  readonly text: string;
  // The connection was cut before the 250 reply: the client must send the mail again.
  readonly isUnconfirmed: boolean;
}

interface SmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly taken: readonly TakenMail[];
  // Number of connections by fault.
  readonly met: Map<SmtpFault, number>;
}

/**
 * Serves SMTP (RFC 5321) on 127.0.0.1, port 0 for any. `nextFault` runs per connection; `rejected`
 * is a rejected recipient.
 */
export async function startSmtpServer(port: number, nextFault: () => SmtpFault, rejected?: string): Promise<SmtpServer> {
  const taken: TakenMail[] = [];
  const met = new Map<SmtpFault, number>();
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const fault = nextFault();
    met.set(fault, (met.get(fault) ?? 0) + 1);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    converse(socket, { fault, rejected, taken }).catch(() => socket.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A listening TCP server has an address.
    port: (server.address() as AddressInfo).port,
    taken,
    met,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

// Temporary-failure replies, by the command they reject.
const REJECTIONS: Partial<Record<SmtpFault, { command: string; reply: string }>> = {
  mail: { command: 'MAIL', reply: '451 4.3.0 try again later' },
  recipient: { command: 'RCPT', reply: '450 4.2.0 greylisted, try again later' },
  data: { command: 'DATA', reply: '452 4.3.1 insufficient storage' },
};

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250 mail.example.com',
  HELO: '250 mail.example.com',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  RSET: '250 2.0.0 ok',
  NOOP: '250 2.0.0 ok',
};

interface Conversation {
  readonly fault: SmtpFault;
  readonly rejected: string | undefined;
  readonly taken: TakenMail[];
}

async function converse(socket: Socket, { fault, rejected, taken }: Conversation): Promise<void> {
  const reply = (line: string): void => void socket.write(`${line}\r\n`);
  if (fault === 'greeting') return void socket.end('421 4.3.2 not now\r\n');
  reply('220 mail.example.com ESMTP');
  const lines = createInterface({ input: socket, crlfDelay: Infinity })[Symbol.asyncIterator]();
  let recipients: string[] = [];
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const command = line.value.slice(0, 4).toUpperCase();
    if (fault === 'tarpit' && command === 'MAIL') return;
    // Real servers echo the argument.
    if (REJECTIONS[fault]?.command === command) reply(`${REJECTIONS[fault].reply}: ${line.value.slice(5)}`);
    else if (command === 'RCPT' && rejected !== undefined && line.value.includes(`<${rejected}>`))
      reply('550 5.1.1 no such mailbox');
    else if (command === 'QUIT') return void socket.end('221 2.0.0 bye\r\n');
    else if (command === 'DATA') {
      reply('354 go ahead');
      if (!(await takeData(socket, lines, { fault, recipients, taken }))) return;
      recipients = [];
    } else {
      if (command === 'MAIL' || command === 'RSET') recipients = [];
      if (command === 'RCPT') recipients.push(/<(.*)>/.exec(line.value)?.[1] ?? '');
      reply(REPLIES[command] ?? '500 5.5.2 unknown command');
    }
  }
}

interface Receiving {
  readonly fault: SmtpFault;
  readonly recipients: readonly string[];
  readonly taken: TakenMail[];
}

// False when the connection is cut.
async function takeData(socket: Socket, lines: AsyncIterator<string>, { fault, recipients, taken }: Receiving): Promise<boolean> {
  const text: string[] = [];
  for (let line = await lines.next(); line.done !== true && line.value !== '.'; line = await lines.next()) {
    if (fault === 'cut in data') return cut(socket);
    text.push(line.value.replace(/^\./, ''));
  }
  if (fault === 'cut before 250') return cut(socket);
  // Unfolds continued header lines.
  const messageId = /^message-id:\s*(.*)$/im.exec(text.join('\n'))?.[1] ?? '';
  const isUnconfirmed = fault === 'cut after 250';
  taken.push({ messageId, recipients, text: text.join('\n'), isUnconfirmed });
  if (isUnconfirmed) return cut(socket);
  socket.write('250 2.0.0 taken\r\n');
  return true;
}

function cut(socket: Socket): false {
  socket.destroy();
  return false;
}
