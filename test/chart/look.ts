import { nameOf, type Container, type Manifest } from '../support/chart/manifest.ts';
import type { OwnedContainer, Pod, Render } from '../support/chart/rendered.ts';

/** The result of checking one object; `fault` is undefined when it passed. */
export interface Look {
  readonly at: string;
  readonly fault: string | undefined;
}

/** One item of the checklist: a property that every object of a kind has in every render. */
export interface Row {
  readonly name: string;
  readonly look: (render: Render) => readonly Look[];
}

type FaultOf<T> = (thing: T) => string | false | undefined;

export const each = <T>(things: readonly T[], at: (thing: T) => string, faultOf: FaultOf<T>): Look[] =>
  things.map((thing) => ({ at: at(thing), fault: faultOf(thing) || undefined }));
export const pods = (render: Render, faultOf: FaultOf<Pod>): Look[] => each(render.pods, ({ owner }) => nameOf(owner), faultOf);
export const containers = (render: Render, faultOf: FaultOf<OwnedContainer>): Look[] =>
  each(render.containers, ({ container, pod }) => `${nameOf(pod.owner)}/${container.name}`, faultOf);
export const kinds = (render: Render, ...wanted: string[]): Manifest[] =>
  render.manifests.filter(({ kind }) => wanted.includes(kind));

export function noneOf(render: Render, kind: RegExp): Look {
  const found = render.manifests.filter((manifest) => kind.test(manifest.kind));
  return { at: 'the release', fault: found.length > 0 ? found.map(nameOf).join() : undefined };
}

export const isOurs = ({ image }: Container): boolean => /(^|\/)survey[:@]/.test(image);
