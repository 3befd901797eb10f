import { describe, expect, it } from 'vitest';
import { Page } from '@survey/proto/common/v1/page.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { decodePage, encodePage, wireMethod } from './wire-method.ts';

// Values at which the length takes one more byte.
const LENGTHS = [0, 1, 126, 127, 128, 129, 16_383, 16_384, 70_000, 2_097_151, 2_097_152];
const HEADS = [true, false].flatMap((gzip) => [null, '', '"e"', 'x'.repeat(127)].map((etag) => ({ gzip, etag })));
const PAGES = LENGTHS.flatMap((length) => HEADS.map((head): Page => ({ json: Buffer.alloc(length, 'x'), ...head })));

function isSame(read: Page, page: Page): boolean {
  return read.gzip === page.gzip && read.etag === page.etag && read.json.equals(page.json);
}

describe.each(PAGES.map((page): [number, Page] => [page.json.length, page]))('a page of %i bytes', (_length, page) => {
  it('is decoded by the generated code after our encoder', () => {
    expect(isSame(Page.decode(encodePage(page)), page)).toBe(true);
  });

  it('is decoded here after the generated encoder', () => {
    expect(isSame(decodePage(Buffer.from(Page.encode(page).finish())), page)).toBe(true);
  });

  it('is decoded here after our encoder without a copy', () => {
    const bytes = encodePage(page);
    const read = decodePage(bytes);
    expect(isSame(read, page)).toBe(true);
    expect(read.json.buffer === bytes.buffer || page.json.length === 0).toBe(true);
  });
});

describe('a page', () => {
  it('with a field of a later version is decoded without it', () => {
    const later = Buffer.concat([encodePage({ json: Buffer.from('{}'), gzip: true }), Buffer.from([0x30, 5])]);
    expect(decodePage(later)).toMatchObject({ json: Buffer.from('{}'), gzip: true });
  });

  it.each([[[0x0a]], [[0x0a, 5, 1]], [[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff]]])('truncated (%j) is rejected', (bytes) => {
    expect(() => decodePage(Buffer.from(bytes))).toThrow(Error);
  });
});

it('is used by methods that return a page, and by no others', () => {
  const { fullName, methods } = ExportServiceDefinition;
  expect(wireMethod(fullName, methods.listEmployees).responseDeserialize).toBe(decodePage);
  const { startImport } = ImportServiceDefinition.methods;
  expect(wireMethod('', startImport).responseDeserialize).not.toBe(decodePage);
});
