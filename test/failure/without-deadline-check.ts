// Ablation, loaded before import-reconciler: removes the check whether the caller is still
// connected.
Object.assign(AbortSignal.prototype, { throwIfAborted: () => undefined });
