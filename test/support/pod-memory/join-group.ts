import { writeFileSync } from 'node:fs';

// Preloaded into a service, so that its memory counts from the beginning.
const folder = new URL(import.meta.url).searchParams.get('folder');
if (folder !== null) writeFileSync(`${folder}/cgroup.procs`, String(process.pid));
