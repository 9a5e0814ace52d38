"""Names of fields that change no size, no FLOP and no byte."""

from __future__ import annotations

import re

_PATTERNS = (
    r"_.*",
    r".*_(token|tok)_?(id|index|ids)s?",
    r".*(dropout|pdrop|layerdrop|drop_path)(_rate|_prob|_p)?",
    r".*(_eps|_epsilon|_std|_loss_coef|_loss_coefficient)",
    r"(rope|rotary|partial_rotary|yarn|original_max|attn_factor|long_factor|short_factor).*",
    r"(init_|initializer|summary_|mask_time|mask_feature|time_step|mamba_dt|task_specific).*",
    r".*(softcapping|_multiplier|scaling_factor|_scaling|_scale)",
    r"(auto_map|architectures|model_type|transformers_version|torch_dtype|dtype|id2label|label2id)",
    r"(use_cache|output_.*|return_.*|gradient_checkpointing|attn_implementation|torchscript)",
    r"(pretraining_tp|tokenizer_class|finetuning_task|problem_type|chunk_size_feed_forward)",
    r"(tie_encoder_decoder|cross_attention_hidden_size|is_encoder_decoder|is_decoder|prefix)",
    r"(bad_words_ids|begin_suppress_tokens|suppress_tokens|forced_decoder_ids|pruned_heads)",
    r"(do_sample|early_stopping|.*_penalty|max_length|min_length|no_repeat_ngram_size|num_.*beam.*)",
    r"(encoder_no_repeat_ngram_size|temperature|top_k|top_p|typical_p|num_return_sequences)",
    r"(remove_invalid_values|exponential_decay_length_penalty|use_bfloat16|n_ctx)",
    r"(query_pre_attn_scalar|norm_topk_prob|scoring_func|topk_method|n_group|topk_group|ep_size)",
    r"(seq_aux|aux_loss_alpha|router_z_loss.*|router_jitter_noise|swiglu_.*|attn_temperature.*)",
    r"(floor_scale|resid.*fp32|rescale_prenorm.*|fp32_residual.*|reorder_and_upcast_attn)",
    r"(scale_.*|chunk_size|mamba_chunk_size|use_mamba_kernels|num_logits_to_keep|rms_norm|for_llm.*)",
    r"(classifier_.*|apply_spec_augment|median_filter_width|use_weighted_layer_sum|alignment_heads)",
    r"(encoder_stride|pooler_act|relative_attention_max_distance|quantization_config|hidden_act_fn)",
    r"(unsloth.*|use_flash_attn|flash_attn|layer_norm_kernel|z_loss.*|lm_head_multiplier|bos|eos)",
    r"(head_dim_original|vision_feature.*|image_seq.*|max_sequence_length|model_max_length)",
)
_IGNORED = re.compile("|".join(_PATTERNS))


def is_ignored(name: str) -> bool:
    """Return whether a field of this name changes no cost.

    Examples
    --------
    >>> is_ignored("rope_theta"), is_ignored("bos_token_id"), is_ignored("hidden_size")
    (True, True, False)
    """
    return _IGNORED.fullmatch(name) is not None
