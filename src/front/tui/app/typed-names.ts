/** Names that can be typed in addition to built-in commands: skills, user commands, prompts of servers; and files. */

import type { Session } from '../../sdk/session.js';

export type TypedName = { readonly name: string; readonly takes?: string; readonly help: string };

export class TypedNames {
  readonly #session: Session;
  readonly #onChange: () => void;
  #names: readonly TypedName[] | undefined;
  #files: readonly string[] = [];

  constructor(session: Session, onChange: () => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  /** The names known so far; the rest is loaded meanwhile. */
  all(): readonly TypedName[] {
    if (this.#names === undefined) {
      this.#names = [];
      void this.#load();
    }
    return this.#names;
  }

  async files(): Promise<readonly string[]> {
    const found = await this.#session.execute({ type: 'list-files' });
    if (!found.ok) return this.#files;
    const isSame =
      found.files.length === this.#files.length && found.files.every((path, at) => path === this.#files[at]);
    if (!isSame) this.#files = found.files;
    return this.#files;
  }

  async #load(): Promise<void> {
    const [skills, prompts] = await Promise.all([
      this.#session.execute({ type: 'skills' }),
      this.#session.execute({ type: 'server-prompts' }),
    ]);
    this.#names = [
      ...(skills.ok ? skills.skills.map(({ name, description }) => ({ name, help: description })) : []),
      ...(prompts.ok ? prompts.prompts.map(({ name, description = '' }) => ({ name, help: description })) : []),
    ];
    this.#onChange();
  }
}
