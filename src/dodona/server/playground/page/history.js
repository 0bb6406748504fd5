// States that can be undone and redone. A state is never changed, only replaced.

export class History {
  constructor(state) {
    this.states = [state];
    this.at = 0;
  }

  get state() {
    return this.states[this.at];
  }

  push(state) {
    this.states.splice(this.at + 1, Infinity, state);
    this.at += 1;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.states.length - 1;
  }

  undo() {
    if (this.canUndo) this.at -= 1;
  }

  redo() {
    if (this.canRedo) this.at += 1;
  }
}
