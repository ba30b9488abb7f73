import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, TrainingArguments
from trl import SFTConfig, SFTTrainer

RANK = 16
config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B", quantization_config=config)
model = get_peft_model(model, LoraConfig(r=RANK, target_modules=["q_proj", "v_proj"]))
kw = {"bf16": True, 'optim': 'paged_adamw_8bit'}
kw["gradient_checkpointing"] = True
args = SFTConfig(
    output_dir="out",
    max_length=2_048,  # tokens
    per_device_train_batch_size=4,
    gradient_accumulation_steps=8,
    **kw,
)
if torch.cuda.is_available():
    args.tf32 = True
setattr(args, "learning_rate", 5e-6)
SFTTrainer(model=model, args=args, train_dataset=data).train()
